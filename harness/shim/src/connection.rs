//! How lines go to a process and come back: by its standard input and output, or by a loopback TCP connection.

use crate::message::MAX_LINE;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// So much of what a process wrote for people last is kept for messages, in bytes.
const KEPT_SAID: usize = 2_000;
/// So long a request is written at once, in bytes: it fits into a pipe whatever the process does.
const SHORT: usize = 4_096;
/// The token is this many hexadecimal digits.
const TOKEN: usize = 32;

/// What a process sends.
pub enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// Longer than any may be.
    TooLong,
    /// The end, and what stood before it.
    End(Vec<u8>),
}

/// What lines go out by.
enum Way {
    Pipe(ChildStdin),
    Stream(TcpStream),
}

impl Way {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Way::Pipe(pipe) => pipe.write_all(line).and_then(|()| pipe.flush()),
            Way::Stream(stream) => stream.write_all(line),
        }
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        if let Way::Stream(stream) = self {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Lines to a process and from it.
pub struct Connection {
    way: Option<Way>,
    lines: Receiver<Line>,
}

impl Connection {
    /// By standard input and output.
    pub fn by_pipes(child: &mut Child) -> Connection {
        let lines = child.stdout.take().map_or_else(|| sync_channel(0).1, listen);
        Connection { way: child.stdin.take().map(Way::Pipe), lines }
    }

    /// By the connection that a process makes to `door`, within `patience`.
    ///
    /// # Errors
    /// It makes none, or ends.
    pub fn by_tcp(door: &Door, patience: Duration, ended: &mut dyn FnMut() -> bool) -> Result<Connection, Absence> {
        let look = || match door.listener.accept() {
            Ok((stream, _)) => door.check(stream, patience).map(Ok),
            Err(_) if ended() => Some(Err(Absence::Ended)),
            Err(_) => None,
        };
        let stream = wait(patience, look).unwrap_or(Err(Absence::Late))?;
        let reader = stream.try_clone().map_err(|_| Absence::Late)?;
        Ok(Connection { way: Some(Way::Stream(stream)), lines: listen(reader) })
    }

    /// A line that came without a request, if there is one.
    pub fn unasked(&self) -> Option<Vec<u8>> {
        match self.lines.try_recv() {
            Ok(Line::Whole(line)) => Some(line),
            _ => None,
        }
    }

    /// Writes a line, and waits for one; `None` when there is none within `patience`.
    pub fn exchange(&mut self, line: Vec<u8>, patience: Duration) -> Option<Line> {
        // A process that is gone shows by its end, so that errors of writing need no words.
        let Some(mut way) = self.way.take() else { return Some(Line::End(Vec::new())) };
        if line.len() <= SHORT {
            let _ = way.write(&line);
            self.way = Some(way);
            return self.next(patience);
        }
        // One that does not read, either, must not stop us in the middle of a long line.
        let (done, back) = channel();
        std::thread::spawn(move || {
            let _ = way.write(&line);
            let _ = done.send(way);
        });
        let next = self.next(patience)?;
        self.way = back.recv_timeout(patience).ok();
        Some(next)
    }

    fn next(&self, patience: Duration) -> Option<Line> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Line::End(Vec::new())),
        }
    }

    /// Says that nothing more will come.
    pub fn close(&mut self) {
        self.way = None;
    }
}

/// Why there is no connection.
pub enum Absence {
    /// The process ended.
    Ended,
    /// It did not connect in time.
    Late,
}

/// A loopback port at which one process is expected.
pub struct Door {
    listener: TcpListener,
    /// The port.
    pub port: u16,
    /// What the process says first.
    pub token: String,
}

impl Door {
    /// Opens one.
    ///
    /// # Errors
    /// The system has none.
    pub fn open() -> io::Result<Door> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        // Nobody can guess it; nothing of a run depends on it.
        let random = || RandomState::new().build_hasher().finish();
        Ok(Door { listener, port, token: format!("{:016x}{:016x}", random(), random()) })
    }

    /// The connection, if whoever made it says the token.
    fn check(&self, mut stream: TcpStream, patience: Duration) -> Option<TcpStream> {
        stream.set_nonblocking(false).ok()?;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(patience.max(Duration::from_millis(1)))).ok()?;
        let mut said = [0; TOKEN + 1];
        stream.read_exact(&mut said).ok()?;
        stream.set_read_timeout(None).ok()?;
        (said[..TOKEN] == *self.token.as_bytes() && said[TOKEN] == b'\n').then_some(stream)
    }
}

fn listen(output: impl Read + Send + 'static) -> Receiver<Line> {
    let (sender, lines) = sync_channel(16);
    std::thread::spawn(move || read_lines(BufReader::new(output), &sender));
    lines
}

fn read_lines(mut output: impl BufRead, sender: &SyncSender<Line>) {
    loop {
        let line = next_line(&mut output);
        let last = matches!(line, Line::End(_));
        if sender.send(line).is_err() || last {
            return;
        }
    }
}

fn next_line(output: &mut impl BufRead) -> Line {
    let mut line = Vec::new();
    loop {
        let Ok(some) = output.fill_buf() else { return Line::End(line) };
        if some.is_empty() {
            return Line::End(line);
        }
        let end = some.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(some.len(), |end| end + 1);
        line.extend_from_slice(&some[..taken]);
        output.consume(taken);
        if line.len() > MAX_LINE + 1 {
            return Line::TooLong;
        }
        if end.is_some() {
            line.pop();
            return Line::Whole(line);
        }
    }
}

/// What a process says to people: the last of it is kept.
#[derive(Debug, Default)]
pub struct Said {
    kept: Arc<Mutex<Vec<u8>>>,
    listeners: Vec<JoinHandle<()>>,
}

/// What a message has before what a process said last.
const BEFORE_WORDS: &str = "\n  its standard error ends with:\n  ";
/// And before each other line of it.
const INDENTED: &str = "\n  ";

/// What a process said last, of the end of a message.
pub fn last_words(message: &str) -> String {
    let words = message.strip_prefix(BEFORE_WORDS).unwrap_or(message);
    words.replace(INDENTED, "\n")
}

impl Said {
    /// Listens to one more stream.
    pub fn listen(&mut self, stream: Option<impl Read + Send + 'static>) {
        let Some(mut stream) = stream else { return };
        let kept = Arc::clone(&self.kept);
        self.listeners.push(std::thread::spawn(move || {
            let mut some = [0; 1024];
            while let Ok(count @ 1..) = stream.read(&mut some) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&some[..count]);
                let surplus = kept.len().saturating_sub(KEPT_SAID);
                kept.drain(..surplus);
            }
        }));
    }

    /// Waits for last words that are still on their way.
    pub fn drain(&self, patience: Duration) {
        wait(patience, || self.listeners.iter().all(JoinHandle::is_finished).then_some(()));
    }

    /// What was said last.
    pub fn last(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// What was said last, for a message.
    pub fn text(&self) -> String {
        let text = self.last();
        let text = text.trim();
        match text.is_empty() {
            true => String::new(),
            false => format!("{BEFORE_WORDS}{}", text.replace('\n', INDENTED)),
        }
    }
}

/// Looks again and again until there is something, for no longer than `patience`.
#[expect(clippy::disallowed_methods, reason = "a process ends in wall time; no verdict on a protocol depends on it")]
pub fn wait<T>(patience: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    const STEP: Duration = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        let found = look();
        if found.is_some() || waited >= patience {
            return found;
        }
        std::thread::sleep(STEP);
        waited += STEP;
    }
}
