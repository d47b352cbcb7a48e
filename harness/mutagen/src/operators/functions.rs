//! Whole functions: which are left alone, and early returns.

use super::{Change, Finder, Operator, Shape, bytes, short};
use crate::targets::{DECODERS, MISBEHAVIOUR, NAMES, Part};
use syn::spanned::Spanned;
use syn::visit::Visit;

impl Finder<'_> {
    /// Whether a function shows nothing that could be mutated with sense.
    fn is_left_alone(&self, signature: &syn::Signature) -> bool {
        let name = signature.ident.to_string();
        let owner = self.owners.last().map_or("", String::as_str);
        if MISBEHAVIOUR.iter().any(|word| name.contains(word) || owner.contains(word)) {
            return true;
        }
        let decodes = DECODERS.iter().any(|prefix| name.starts_with(prefix))
            || self.text_of(&signature.inputs).contains("Reader<");
        self.part == Part::Codec && decodes || NAMES.iter().any(|suffix| name.ends_with(suffix))
    }

    pub(super) fn visit_function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if self.is_left_alone(signature) {
            return;
        }
        let name = match self.owners.last() {
            Some(owner) => format!("{owner}::{}", signature.ident),
            None => signature.ident.to_string(),
        };
        let places = self.found.places.len();
        self.functions.push(name);
        self.constant = signature.constness.is_some();
        self.early_returns(signature, block);
        self.visit_block(block);
        self.constant = false;
        if let (Some(constant), Some(name)) = (&signature.constness, self.functions.pop())
            && self.found.places.len() > places
        {
            self.found.constants.push((bytes(constant), name));
        }
    }

    fn early_returns(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let body = block.stmts.iter().map(|statement| self.text_of(statement)).collect::<Vec<_>>().join(" ");
        if body.is_empty() {
            return;
        }
        let at = bytes(&block.brace_token.span.open()).end;
        for value in self.values(signature) {
            if body == value {
                continue;
            }
            let code = format!("return {value};").replace(" ;", ";");
            let old = short(&body);
            let change = Change { operator: Operator::EarlyReturn, new: code.clone(), code, old };
            self.add(at..at, Shape::Entry, block.span(), change);
        }
    }

    /// What a function can return that knows nothing.
    fn values(&self, signature: &syn::Signature) -> Vec<String> {
        let syn::ReturnType::Type(_, returned) = &signature.output else { return vec![String::new()] };
        let kind: String = self.text_of(&**returned).split_whitespace().collect();
        let owner = self.owners.last().map_or("", String::as_str);
        let values: &[&str] = match kind.as_str() {
            "bool" => &["true", "false"],
            "u8" | "u16" | "u32" | "u64" | "usize" | "i16" | "i32" | "i64" => &["0", "1"],
            // Who builds something can build nothing else.
            "Self" => &[],
            name if name == owner => &[],
            name if name.starts_with("impl") || name.starts_with("Box<dyn") => &[],
            name if name.starts_with('&') && !name.ends_with(']') => &[],
            name if name.starts_with("Option<") => &["None"],
            name if name.starts_with("Result<(),") => &["Ok(())"],
            name if name.starts_with("Result<") => &["Ok(Default::default())"],
            _ => &["Default::default()"],
        };
        values.iter().map(|value| value.to_string()).collect()
    }
}
