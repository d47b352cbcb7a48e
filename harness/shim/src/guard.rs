//! Sees to it that no process outlives the harness, however that ends.
//!
//! Each process leads a process group of its own, so that what it starts goes with it. A guard, which is a shell in a group of
//! its own, knows all groups; its standard input ends when the harness does, by Ctrl-C or by a kill, and it then kills those
//! that are left, and removes the folder that they had for themselves.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Reads `+ GROUP`, `- GROUP` and `folder PATH` to the end; `$groups` has the groups that are left. To take out one that is not there changes nothing:
/// the pattern would not fit, and double the list.
#[cfg(unix)]
const READ: &str = "trap '' HUP INT TERM
groups=' '
folder=
while read -r what group; do
    case $what in
        +) groups=\"$groups$group \" ;;
        -) case $groups in *\" $group \"*) groups=\"${groups%% $group *} ${groups#* $group }\" ;; esac ;;
        folder) folder=$group ;;
    esac
done";

#[cfg(unix)]
const KILL: &str = "for group in $groups; do kill -9 \"-$group\"; done
if [ -n \"$folder\" ]; then rm -rf -- \"$folder\" || { sleep 1; rm -rf -- \"$folder\"; }; fi";

static GUARD: OnceLock<Mutex<ChildStdin>> = OnceLock::new();

/// Prepares a command whose process is to be guarded.
pub fn prepare(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(not(unix))]
    let _ = command;
}

/// Guards a process that was started after [`prepare`].
///
/// # Errors
/// There is no guard.
pub fn watch(child: &Child) -> io::Result<()> {
    tell(&format!("+ {}", child.id()))
}

/// Has a folder removed when the harness has ended, and everything that it started.
///
/// # Errors
/// There is no guard.
pub fn remove(folder: &Path) -> io::Result<()> {
    tell(&format!("folder {}", folder.display()))
}

/// Kills a process that has not been waited for, with all that it started, and waits for it.
pub fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let _ = child.kill();
    // A number may be given to another group only after this.
    let _ = tell(&format!("- {}", child.id()));
    let _ = child.wait();
}

/// Whether a process has ended by itself; it is not waited for, so that its number stays its own.
pub fn has_ended(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(id), look), Ok(None))
    }
    #[cfg(not(unix))]
    {
        !matches!(child.try_wait(), Ok(None))
    }
}

#[cfg(unix)]
fn tell(line: &str) -> io::Result<()> {
    let guard = match GUARD.get() {
        Some(guard) => guard,
        None => {
            let started = start()?;
            // Another thread may have been faster: its guard is used, and the new one ends with its standard input.
            GUARD.get_or_init(|| Mutex::new(started))
        }
    };
    let mut guard = guard.lock().unwrap_or_else(PoisonError::into_inner);
    guard.write_all(format!("{line}\n").as_bytes())
}

#[cfg(not(unix))]
fn tell(_: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn start() -> io::Result<ChildStdin> {
    use std::process::Stdio;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{READ}\n{KILL}")]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    prepare(&mut command);
    let mut guard = command.spawn().map_err(|error| io::Error::other(format!("its guard, /bin/sh: {error}")))?;
    guard.stdin.take().ok_or_else(|| io::Error::other("its guard has no standard input"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn the_guard_knows_what_is_left_whatever_is_taken_out_twice() {
        let script = format!("{READ}\necho $groups $folder");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut guard = command.spawn().expect("there is a shell");
        let lines = b"+ 12\n+ 123\n+ 3\n- 12\n- 12\n- 2\n- 12\nfolder /a b\n+ 4\n- 3\n";
        guard.stdin.take().expect("is piped").write_all(lines).expect("it reads");
        let left = guard.wait_with_output().expect("it ends").stdout;
        assert_eq!(String::from_utf8_lossy(&left), "123 4 /a b\n");
    }
}
