//! Where a source can be mutated, and how. The operators, and what they leave alone, follow cargo-mutants.

mod constants;
mod expressions;
mod functions;
mod statements;
#[cfg(test)]
mod tests;

use crate::targets::Part;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Texts of reports and lists are cut at so many characters.
const MAX_TEXT: usize = 160;

/// How a mutant differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A comparison has another boundary, or says the opposite.
    Comparison,
    /// `&&` is `||`, or the other way round.
    Logic,
    /// A condition says the opposite.
    NegatedCondition,
    /// Another operation: `+` for `-`, `&` for `|`.
    Arithmetic,
    /// An integer is one more or one less; a large one, which is a time, half or double.
    Constant,
    /// A statement is left out.
    RemovedStatement,
    /// A statement is left out that resets something: what it held survives.
    StaleState,
    /// Two adjacent arguments change places.
    SwappedArguments,
    /// A function returns at once.
    EarlyReturn,
    /// `Some(…)` is `None`.
    SomeToNone,
    /// Another client, or another player, is meant.
    OtherClient,
    /// What wraps around does not.
    NoWrap,
}

impl Operator {
    /// All of them, in the order of reports.
    pub const ALL: [Operator; 12] = [
        Operator::Comparison,
        Operator::Logic,
        Operator::NegatedCondition,
        Operator::Arithmetic,
        Operator::Constant,
        Operator::RemovedStatement,
        Operator::StaleState,
        Operator::SwappedArguments,
        Operator::EarlyReturn,
        Operator::SomeToNone,
        Operator::OtherClient,
        Operator::NoWrap,
    ];

    /// As reports and lists have it.
    pub const fn name(self) -> &'static str {
        match self {
            Operator::Comparison => "comparison",
            Operator::Logic => "logic",
            Operator::NegatedCondition => "negated-condition",
            Operator::Arithmetic => "arithmetic",
            Operator::Constant => "constant",
            Operator::RemovedStatement => "removed-statement",
            Operator::StaleState => "stale-state",
            Operator::SwappedArguments => "swapped-arguments",
            Operator::EarlyReturn => "early-return",
            Operator::SomeToNone => "some-to-none",
            Operator::OtherClient => "other-client",
            Operator::NoWrap => "no-wrap",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One change of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// How it differs.
    pub operator: Operator,
    /// What stands there instead.
    pub code: String,
    /// What stands there, with as much around it as tells it from others; on one line.
    pub old: String,
    /// The same with the change.
    pub new: String,
}

/// What kind of text a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// The beginning of a body: nothing, where code can be put in.
    Entry,
    /// A statement, with its semicolon; the only change is to leave it out.
    Statement,
    Expression,
}

/// A place of a source, and what can be changed there.
#[derive(Clone, Debug)]
pub struct Place {
    pub bytes: Range<usize>,
    pub shape: Shape,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The function that it is in, with its type, such as `Session::push`.
    pub function: String,
    /// The changes, at least one.
    pub changes: Vec<Change>,
}

/// What a source offers.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Places, in the order of the text; of two that begin together the outer one is first.
    pub places: Vec<Place>,
    /// Where the bodies of loops begin, but in functions that are `const`.
    pub loops: Vec<usize>,
    /// The word `const` of functions that have places, with their names: what asks at run time is not `const`.
    pub constants: Vec<(Range<usize>, String)>,
}

/// All places of `text`.
///
/// # Errors
/// The text is no Rust source.
pub fn find(text: &str, part: Part) -> Result<Found, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        text,
        part,
        found: Found::default(),
        functions: Vec::new(),
        owners: Vec::new(),
        around: Vec::new(),
        leaving: Vec::new(),
        constant: false,
    };
    finder.visit_file(&file);
    let mut found = finder.found;
    found.places.sort_by_key(|place| (place.bytes.start, place.shape, std::cmp::Reverse(place.bytes.end)));
    Ok(found)
}

/// The bytes of a piece of syntax.
fn bytes(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// On one line, and not too long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TEXT { line } else { line.chars().take(MAX_TEXT).chain(['…']).collect() }
}

/// Whether something is compiled for tests alone.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|what| what.is_ident("test"))
    })
}

struct Finder<'a> {
    text: &'a str,
    part: Part,
    found: Found,
    /// The functions around, the innermost last.
    functions: Vec<String>,
    /// The types whose `impl` is around.
    owners: Vec<String>,
    /// The expressions around, the innermost last.
    around: Vec<Range<usize>>,
    /// Statements without which a block would not be left.
    leaving: Vec<Range<usize>>,
    /// The function is `const`.
    constant: bool,
}

impl Finder<'_> {
    fn text_of(&self, node: &impl Spanned) -> &str {
        self.text.get(bytes(node)).unwrap_or_default()
    }

    fn function(&self) -> &str {
        self.functions.last().map_or("", String::as_str)
    }

    /// Adds a change, to the place that is there or a new one.
    fn add(&mut self, bytes: Range<usize>, shape: Shape, at: proc_macro2::Span, change: Change) {
        if change.code == self.text.get(bytes.clone()).unwrap_or_default() && shape == Shape::Expression {
            return;
        }
        if let Some(place) = self.found.places.iter_mut().find(|place| place.bytes == bytes && place.shape == shape) {
            if place.changes.iter().all(|known| known.code != change.code) {
                place.changes.push(change);
            }
            return;
        }
        let start = at.start();
        let function = self.function().to_string();
        let (line, column) = (start.line, start.column + 1);
        self.found.places.push(Place { bytes, shape, line, column, function, changes: vec![change] });
    }

    /// Adds another `code` for an expression that its own text distinguishes from others.
    fn replace(&mut self, node: &impl Spanned, operator: Operator, code: String) {
        let (old, new) = (short(self.text_of(node)), short(&code));
        self.add(bytes(node), Shape::Expression, node.span(), Change { operator, code, old, new });
    }

    /// Adds another `code` for an expression that says little alone: a number, an argument.
    fn replace_within(&mut self, node: &impl Spanned, operator: Operator, code: String) {
        let inner = bytes(node);
        let fits = |outer: &&Range<usize>| outer.len() > inner.len() && outer.len() <= MAX_TEXT;
        let outer = self.around.iter().rev().find(fits).cloned().unwrap_or(inner.clone());
        let of = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let old = short(of(outer.clone()));
        let new = short(&format!("{}{code}{}", of(outer.start..inner.start), of(inner.end..outer.end)));
        self.add(inner, Shape::Expression, node.span(), Change { operator, code, old, new });
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            // A choice at run time has no place in a constant.
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Macro(_) => {}
            syn::Item::Mod(module) if is_for_tests(&module.attrs) => {}
            syn::Item::Fn(function) if is_for_tests(&function.attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let names_a = |name: &str| {
            let last = |path: &syn::Path| path.segments.last().is_some_and(|segment| segment.ident == name);
            item.trait_.as_ref().is_some_and(|(_, path, _)| last(path))
        };
        if is_for_tests(&item.attrs) || ["Debug", "Display", "Error"].into_iter().any(names_a) {
            return;
        }
        let owner = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.owners.push(owner.unwrap_or_else(|| short(self.text_of(&*item.self_ty))));
        visit::visit_item_impl(self, item);
        self.owners.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.owners.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.owners.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.visit_function(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.visit_function(&item.sig, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.visit_function(&item.sig, block);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    /// Lengths and parameters in types are constants; so are those after `::<`.
    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_path(&mut self, _: &'ast syn::Path) {}

    /// A pattern is no place for a choice.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_macro(&mut self, _: &'ast syn::Macro) {}

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.visit_statement(statement);
        visit::visit_stmt(self, statement);
    }

    /// After `else` something must leave the block.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some((_, otherwise)) = local.init.as_ref().and_then(|init| init.diverge.as_ref())
            && let syn::Expr::Block(block) = &**otherwise
        {
            self.leaving.extend(block.block.stmts.last().map(bytes));
        }
        visit::visit_local(self, local);
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        self.around.push(bytes(expr));
        self.visit_expression(expr);
        if let syn::Expr::Repeat(repeat) = expr {
            // The length is a constant.
            self.visit_expr(&repeat.expr);
        } else {
            visit::visit_expr(self, expr);
        }
        self.around.pop();
    }
}
