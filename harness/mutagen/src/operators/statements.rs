//! Statements that are left out.

use super::{Change, Finder, Operator, Shape, bytes, short};
use syn::spanned::Spanned;
use syn::{Expr, Stmt};

/// Words in the names of functions that begin something again.
const BEGINNINGS: [&str; 16] = [
    "connect", "restart", "reset", "change", "begin", "start", "clear", "open", "admit", "drop", "void", "accepted",
    "reload", "forget", "restore", "spawn",
];

/// Methods that empty what they are called on.
const EMPTYING: [&str; 5] = ["clear", "reset", "restart", "start_over", "forget"];

impl Finder<'_> {
    pub(super) fn visit_statement(&mut self, statement: &Stmt) {
        let Stmt::Expr(expr, semicolon) = statement else { return };
        let removable = match expr {
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) | Expr::Try(_) => true,
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
            Expr::Binary(binary) => is_compound(&binary.op),
            _ => false,
        };
        if semicolon.is_none() || !removable || self.leaving.contains(&bytes(statement)) {
            return;
        }
        let operator = if self.resets(expr) { Operator::StaleState } else { Operator::RemovedStatement };
        let old = short(self.text_of(statement));
        let change = Change { operator, code: String::new(), old, new: String::new() };
        self.add(bytes(statement), Shape::Statement, statement.span(), change);
    }

    /// Whether what the statement changes goes back to how it began.
    fn resets(&self, expr: &Expr) -> bool {
        let name = self.function().rsplit("::").next().unwrap_or_default();
        let begins = BEGINNINGS.iter().any(|word| name.contains(word));
        match expr {
            Expr::Assign(assign) => begins || self.is_fresh(&assign.right),
            Expr::MethodCall(call) => EMPTYING.iter().any(|method| call.method == method),
            _ => false,
        }
    }

    /// Whether an expression is a value that knows nothing yet.
    fn is_fresh(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => {
                let made = self.text_of(&*call.func);
                made.ends_with("::new") || made.ends_with("::default")
            }
            Expr::Repeat(_) => true,
            Expr::Path(_) | Expr::Lit(_) => ["None", "false", "0"].contains(&self.text_of(expr)),
            _ => false,
        }
    }
}

/// Whether an operation changes what stands at its left.
pub(super) fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
