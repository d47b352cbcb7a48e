//! Expressions: comparisons, conditions, arithmetic, arguments, clients.

use super::{Finder, Operator, bytes};
use syn::spanned::Spanned;
use syn::{BinOp, Expr};

/// Methods that ask a closure for a condition.
const ASKING: [&str; 11] = [
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_some_and",
    "partition_point",
    "position",
    "retain",
    "skip_while",
    "take_while",
];

/// Words in the names of what holds something for each client or player.
const HOLDERS: [&str; 6] = ["session", "client", "player", "live", "peer", "slot"];

/// Methods that get one of many.
const GETTING: [&str; 4] = ["get", "get_mut", "entry", "remove"];

impl Finder<'_> {
    pub(super) fn visit_expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => {
                let operand = format!("({})", self.text_of(&*unary.expr));
                match unary.op {
                    syn::UnOp::Not(_) => self.replace(unary, Operator::NegatedCondition, operand),
                    syn::UnOp::Neg(_) => self.replace(unary, Operator::Arithmetic, operand),
                    _ => {}
                }
            }
            Expr::If(branch) => self.condition(&branch.cond),
            Expr::While(repeat) => {
                self.condition(&repeat.cond);
                self.loop_body(&repeat.body);
            }
            Expr::ForLoop(repeat) => self.loop_body(&repeat.body),
            Expr::Loop(repeat) => self.loop_body(&repeat.body),
            Expr::Match(choice) => {
                let guards = choice.arms.iter().filter_map(|arm| arm.guard.as_ref());
                guards.for_each(|(_, guard)| self.condition(guard));
            }
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                self.replace(call, Operator::NegatedCondition, format!("!{}", self.text_of(call)));
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) => self.visit_integer(literal),
            Expr::Path(path) => self.visit_named(path),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Index(index) if self.holds_clients(&index.expr) => self.other_number(&index.index),
            _ => {}
        }
    }

    fn loop_body(&mut self, body: &syn::Block) {
        if !self.constant {
            self.found.loops.push(bytes(&body.brace_token.span.open()).end);
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) {
        let operator = match binary.op {
            BinOp::And(_) | BinOp::Or(_) => Operator::Logic,
            BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_) => {
                if self.compares_clients(binary) { Operator::OtherClient } else { Operator::Comparison }
            }
            _ => Operator::Arithmetic,
        };
        if operator == Operator::Logic && (has_let(&binary.left) || has_let(&binary.right)) {
            return;
        }
        let (left, right) = (self.text_of(&*binary.left).to_string(), self.text_of(&*binary.right).to_string());
        let compound = super::statements::is_compound(&binary.op);
        for other in others(&binary.op) {
            let code = if compound { format!("{left} {other} {right}") } else { format!("({left}) {other} ({right})") };
            self.replace(binary, operator, code);
        }
        let wraps = match binary.op {
            BinOp::Rem(_) => true,
            BinOp::BitAnd(_) => self.is_mask(&binary.right),
            _ => false,
        };
        if wraps {
            self.replace(binary, Operator::NoWrap, format!("({left})"));
        }
    }

    /// Says the opposite of a condition, or of the parts of it that bind nothing.
    fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(_) => {}
            Expr::Binary(both) if has_let(&both.left) || has_let(&both.right) => {
                self.condition(&both.left);
                self.condition(&both.right);
            }
            // These have their opposite already.
            Expr::Binary(binary)
                if !others(&binary.op).is_empty() && !matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {}
            Expr::Unary(_) | Expr::Macro(_) | Expr::Block(_) => {}
            Expr::Paren(inner) => self.condition(&inner.expr),
            _ => self.replace(condition, Operator::NegatedCondition, format!("!({})", self.text_of(condition))),
        }
    }

    fn call(&mut self, call: &syn::ExprCall) {
        if self.text_of(&*call.func) == "Some" {
            self.replace(call, Operator::SomeToNone, String::from("None"));
        }
        self.arguments(call, &call.args);
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) {
        let method = call.method.to_string();
        if let Some(operation) = method.strip_prefix("wrapping_") {
            let text = self.text_of(call);
            let start = bytes(call).start;
            let name = bytes(&call.method);
            let (before, after) = (text.get(..name.start - start), text.get(name.end - start..));
            let code = format!("{}saturating_{operation}{}", before.unwrap_or_default(), after.unwrap_or_default());
            self.replace(call, Operator::NoWrap, code);
        }
        if let (true, Some(Expr::Closure(closure))) = (ASKING.contains(&method.as_str()), call.args.last()) {
            self.condition(&closure.body);
        }
        if GETTING.contains(&method.as_str()) && self.holds_clients(&call.receiver) {
            call.args.first().into_iter().for_each(|key| self.other_number(key));
        }
        self.arguments(call, &call.args);
    }

    /// Adjacent arguments change places, and those that say which client is meant mean another.
    fn arguments(&mut self, call: &impl Spanned, arguments: &syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let all: Vec<&Expr> = arguments.iter().collect();
        for pair in all.windows(2) {
            let [first, second] = pair else { continue };
            let (one, two) = (bytes(*first), bytes(*second));
            let of = |range: std::ops::Range<usize>| self.text.get(range).unwrap_or_default();
            let whole = bytes(call);
            let code = format!(
                "{}{}{}{}{}",
                of(whole.start..one.start),
                of(two.clone()),
                of(one.end..two.start),
                of(one.clone()),
                of(two.end..whole.end)
            );
            self.replace(call, Operator::SwappedArguments, code);
        }
        for argument in all {
            let other = match self.text_of(argument) {
                "peer" => "::kit::PeerId::client(1)",
                "host" => "::kit::HostId(1)",
                "index" | "slot" => "0",
                "client" | "id" => "1",
                _ => continue,
            };
            self.replace_within(argument, Operator::OtherClient, other.to_string());
        }
    }

    /// The first one, and the one beside.
    fn other_number(&mut self, key: &Expr) {
        if !matches!(key, Expr::Lit(_) | Expr::Range(_)) {
            let text = self.text_of(key).to_string();
            self.replace_within(key, Operator::OtherClient, String::from("0"));
            self.replace_within(key, Operator::OtherClient, format!("({text}) ^ 1"));
        }
    }

    fn holds_clients(&self, holder: &Expr) -> bool {
        let text = self.text_of(holder);
        let last = text.rsplit(['.', ':']).next().unwrap_or_default();
        HOLDERS.iter().any(|word| last.contains(word))
    }

    /// Whether a comparison asks which client something belongs to.
    fn compares_clients(&self, binary: &syn::ExprBinary) -> bool {
        let equal = matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_));
        let names = |side: &Expr| {
            let text = self.text_of(side);
            ["peer", "host", "client"].iter().any(|word| text.contains(word))
        };
        equal && names(&binary.left) && names(&binary.right)
    }
}

/// Whether a condition binds something.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

/// What stands for an operation instead.
fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["/"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::RemAssign(_) => &["/="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}
