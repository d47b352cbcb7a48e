//! Somebody's implementation in the place of an end: processes that speak the shim protocol.

use crate::judge::{Judgement, Keep, judge_with};
use crate::scenario::Case;
use kit::Role;
use shim::{Fault, Hello, Link, Process};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// So often is a process that failed started again; the cases behind that share the last one's fate.
const MAX_RESTARTS: u32 = 10;

/// An implementation that runs in processes of its own, one per case under way.
#[derive(Debug)]
pub struct Foreign {
    /// The program and its arguments.
    command: Vec<String>,
    /// How long it may take to answer.
    patience: Duration,
    /// Whose place it takes.
    pub role: Role,
    /// Who it says to be.
    pub hello: Hello,
    pool: Mutex<Pool>,
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Process>,
    failed: u32,
    last: Option<Fault>,
}

impl Foreign {
    /// Starts it, to see who it is. It takes the place of `role`, or of the one that it offers.
    ///
    /// # Errors
    /// It cannot be started, does not speak the shim protocol, or does not say which role it is for.
    pub fn start(command: Vec<String>, patience: Duration, role: Option<Role>) -> Result<Foreign, String> {
        let process = Process::start(&command, patience).map_err(|fault| fault.to_string())?;
        let hello = process.hello.clone();
        let offered: Vec<Role> = hello.roles.iter().filter_map(|name| role_of(name)).collect();
        let role = match (role, offered.as_slice()) {
            (Some(role), _) if offered.contains(&role) => role,
            (Some(role), _) => return Err(format!("the shim is no {role}; it offers: {}", hello.roles.join(", "))),
            (None, [role]) => *role,
            (None, []) => {
                return Err(String::from("the shim offers neither `server` nor `client` as one of its `roles`"));
            }
            (None, _) => return Err(String::from("the shim can be either end: say --role server or --role client")),
        };
        let pool = Mutex::new(Pool { idle: vec![process], ..Pool::default() });
        Ok(Foreign { command, patience, role, hello, pool })
    }

    /// Whether it speaks a profile.
    pub fn speaks(&self, profile: &str) -> bool {
        self.hello.profiles.iter().any(|name| name == profile)
    }

    /// What chooses it on the command line.
    pub fn argument(&self) -> String {
        format!("--role {} --shim {:?}", self.role, self.command.join(" "))
    }

    /// Runs a case with it.
    pub fn judge(&self, case: &Case, seed: u64, keep: Keep) -> Judgement {
        let process = match self.lend() {
            Ok(process) => process,
            Err(fault) => return Judgement { fault: Some(fault), ..Judgement::default() },
        };
        let link = Link::new(process);
        let protocol = case.protocol;
        let mut judgement = judge_with(
            case,
            seed,
            &|role, setup| (role == self.role).then(|| Link::open(&link, protocol, setup)),
            keep,
        );
        let (process, fault, at) = link.borrow_mut().end();
        debug_assert_eq!(Rc::strong_count(&link), 1, "all hosts are closed");
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.idle.extend(process);
        if let Some(fault) = fault {
            let declared = matches!(fault, Fault::Unsupported { .. });
            pool.failed += u32::from(!declared);
            pool.last = Some(fault.clone()).filter(|_| !declared).or(pool.last.take());
            // What the other end made of its silence says nothing.
            judgement.findings.retain(|finding| finding.at < at);
            judgement.fault = Some(fault);
        } else if let Some(why) = judgement.halted.take() {
            judgement.fault = Some(Fault::Wrong { asked: "step", why: format!("the run cannot go on: {why}") });
        }
        judgement
    }

    fn lend(&self) -> Result<Process, Fault> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = pool.idle.pop() {
            return Ok(process);
        }
        match &pool.last {
            Some(last) if pool.failed > MAX_RESTARTS => return Err(last.clone()),
            _ => {}
        }
        drop(pool);
        Process::start(&self.command, self.patience)
    }
}

fn role_of(name: &str) -> Option<Role> {
    [Role::Server, Role::Client].into_iter().find(|role| role.to_string() == name)
}
