//! Integers, and constants by name.

use super::{Finder, Operator};
use syn::spanned::Spanned;

/// Decimal numbers from here on are times, sizes and other things of which one more or less is nothing.
const LARGE: u128 = 1_000;

impl Finder<'_> {
    pub(super) fn visit_integer(&mut self, literal: &syn::LitInt) {
        let Ok(value) = literal.base10_parse::<u128>() else { return };
        let text = literal.to_string();
        let hexadecimal = text.starts_with("0x") || text.starts_with("0b");
        let suffix = literal.suffix();
        let show = |value: u128| if hexadecimal { format!("{value:#x}{suffix}") } else { format!("{value}{suffix}") };
        if value >= LARGE && !hexadecimal {
            self.replace_within(literal, Operator::Constant, show(value * 2));
            self.replace_within(literal, Operator::Constant, show(value / 2));
            return;
        }
        self.replace_within(literal, Operator::Constant, show(value + 1));
        if let Some(less) = value.checked_sub(1) {
            self.replace_within(literal, Operator::Constant, show(less));
        }
    }

    pub(super) fn visit_named(&mut self, path: &syn::ExprPath) {
        let Some(last) = path.path.segments.last() else { return };
        let name = last.ident.to_string();
        if !is_constant(&name) {
            return;
        }
        let text = self.text_of(path).to_string();
        if name.ends_with("_US") || name.ends_with("_MS") {
            self.replace_within(path, Operator::Constant, format!("({text} * 2)"));
            self.replace_within(path, Operator::Constant, format!("({text} / 2)"));
        } else {
            self.replace_within(path, Operator::Constant, format!("{text}.wrapping_add(1)"));
            self.replace_within(path, Operator::Constant, format!("{text}.wrapping_sub(1)"));
        }
    }

    /// Whether an expression is what a number is masked with, so that it wraps.
    pub(super) fn is_mask(&self, expr: &syn::Expr) -> bool {
        match expr {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) => {
                literal.base10_parse::<u128>().is_ok_and(|value| value >= 15 && (value + 1).is_power_of_two())
            }
            syn::Expr::Path(_) => {
                let name = self.text_of(&expr.span());
                name.contains("MASK") || name.contains("BITS")
            }
            _ => false,
        }
    }
}

/// Whether a name is written as those of constants are.
fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
        || name == "X"
        || name == "Y"
}
