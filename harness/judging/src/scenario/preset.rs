//! Named networks. `scenarios/README.md` has the same numbers with where each is from; a test compares the two.

use super::file::{Burst, Link, Preset, Spike};
use super::short::{Duration, Percent, Rate};

impl Preset {
    /// Each with its name in scenarios, and what it stands for.
    pub const ALL: [(Preset, &'static str, &'static str); 6] = [
        (Preset::Dsl, "dsl", "a telephone line: narrow, above all upwards"),
        (Preset::Wifi, "wifi", "a radio that others use, too: jitter, and bursts of loss"),
        (Preset::FourG, "4g", "a mobile network: wide, with spikes of delay"),
        (Preset::Satellite, "satellite", "a geostationary satellite: far away"),
        (Preset::Congested, "congested", "a bottleneck that is overloaded: long queues, loss, spikes"),
        (Preset::LanParty, "lan-party", "a switch under the table"),
    ];

    /// The links: server to client, then client to server.
    pub fn links(self) -> [Link; 2] {
        let (down, up) = self.rates();
        let link = |(rate, queue)| Link { bandwidth: Some(rate), queue: Some(queue), mtu: Some(1472), ..self.common() };
        [link(down), link(up)]
    }

    /// Bandwidth and queue, down and up.
    fn rates(self) -> ((Rate, u32), (Rate, u32)) {
        let of = |down_kbit: u64, down_queue, up_kbit: u64, up_queue| {
            ((Rate(down_kbit * 1000), down_queue), (Rate(up_kbit * 1000), up_queue))
        };
        match self {
            Preset::Dsl => of(1_500, 32_768, 384, 16_384),
            Preset::Wifi => of(20_000, 65_536, 20_000, 65_536),
            Preset::FourG => of(12_000, 131_072, 12_000, 131_072),
            Preset::Satellite => of(1_000, 65_536, 256, 32_768),
            Preset::Congested => of(512, 65_536, 256, 32_768),
            Preset::LanParty => of(100_000, 65_536, 100_000, 65_536),
        }
    }

    /// What both directions have.
    fn common(self) -> Link {
        let ms = |ms: u64| Some(Duration(ms * 1000));
        let ppm = |ppm: u32| Some(Percent(ppm));
        let burst =
            |enter, leave, loss| Some(Burst { enter: Percent(enter), leave: Percent(leave), loss: Percent(loss) });
        let spike = |enter, by: u64, length: u64| {
            Some(Spike { enter: Percent(enter), by: Duration(by * 1000), r#for: Duration(length * 1000) })
        };
        let link = Link::default();
        match self {
            Preset::Dsl => Link { latency: ms(25), jitter: ms(5), loss: ppm(1_000), ..link },
            Preset::Wifi => Link {
                latency: ms(3),
                jitter: ms(20),
                loss: ppm(1_000),
                burst: burst(5_000, 250_000, 500_000),
                spike: spike(1_000, 80, 150),
                ..link
            },
            Preset::FourG => {
                Link { latency: ms(35), jitter: ms(30), loss: ppm(2_000), spike: spike(2_000, 250, 400), ..link }
            }
            Preset::Satellite => Link {
                latency: ms(279),
                jitter: ms(30),
                loss: ppm(5_000),
                burst: burst(1_000, 100_000, 800_000),
                ..link
            },
            Preset::Congested => Link {
                latency: ms(60),
                jitter: ms(80),
                loss: ppm(30_000),
                burst: burst(10_000, 200_000, 600_000),
                duplicate: ppm(2_000),
                reorder: ppm(10_000),
                spike: spike(5_000, 300, 500),
                ..link
            },
            Preset::LanParty => Link { latency: Some(Duration(200)), jitter: Some(Duration(300)), ..link },
        }
    }
}
