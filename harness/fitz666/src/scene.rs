//! What the player of a demo holds.

use crate::message::{Dialect, Said};
use crate::tap::{Listener, Tap};
use kit::{Direction, Dissection, Field, StatValue};
use netquake::scene as nq;

/// Follows a demo.
pub struct Scene {
    tap: Tap,
    held: Held,
}

/// What is held; the listener of the tap.
#[derive(Default)]
struct Held(nq::Held);

impl Default for Scene {
    fn default() -> Scene {
        Scene { tap: Tap::new(Dialect::PLAIN), held: Held::default() }
    }
}

impl Listener for Held {
    fn said(&mut self, said: &Said<'_>, _: &Dialect) {
        match said {
            Said::NetQuake(service) => self.0.said(service),
            Said::Fitz(service) => self.0.fitz(service),
        }
    }
}

impl kit::Scene for Scene {
    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let dialect = Dialect::named(extensions);
        self.tap.dialect = dialect.ok_or_else(|| format!("`{extensions}` is no protocol of this kind"))?;
        Ok(())
    }

    fn extensions(&self) -> Vec<String> {
        vec![self.tap.dialect.name()]
    }

    fn datagram(&mut self, _: u32, bytes: &[u8], out: &mut Dissection) {
        out.error = self.tap.datagram(Direction::ServerToClient, bytes, Some(out), &mut self.held).err();
    }

    fn fields(&self) -> &'static [Field] {
        &nq::SCENE_FIELDS
    }

    fn default_entity(&self) -> &'static [i32] {
        &nq::NULL
    }

    fn entities(&self, visit: &mut dyn FnMut(u32, &[i32])) {
        self.held.0.entities(visit);
    }

    fn player(&self, visit: &mut dyn FnMut(&'static str, StatValue)) {
        self.held.0.player(visit);
    }

    fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue)) {
        self.held.0.stats(visit);
    }

    fn stat_name(&self, stat: u8) -> Option<&'static str> {
        nq::stat_name(stat)
    }

    fn event(&self, service: u8) -> Option<&'static str> {
        nq::event(service)
    }

    fn is_incomplete(&self) -> bool {
        self.held.0.is_incomplete()
    }
}
