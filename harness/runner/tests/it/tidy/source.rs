//! What the rules need to know of a source file.

use proc_macro2::Span;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemUse, Token, UseTree};

/// A module of a crate; the crate's root is empty.
pub type Module = Vec<String>;

/// A path as it is written.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The module that it is written in, inline modules included.
    pub scope: Module,
    pub segments: Vec<String>,
    pub line: usize,
}

/// A function, and its lines from signature to closing brace.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// One file, read. Of what is compiled for tests alone, only the functions and their lines are known.
#[derive(Debug, Default)]
pub struct Source {
    /// From the project's folder.
    pub path: String,
    /// The name of the crate's folder.
    pub package: String,
    pub module: Module,
    pub lines: usize,
    /// Whether it belongs to `tests` or `benches`, or its module is declared for tests alone.
    pub test: bool,
    pub functions: Vec<Function>,
    pub mentions: Vec<Mention>,
    /// The names that `use` brings into a module, and the paths that they stand for.
    pub names: BTreeMap<String, Mention>,
    /// Calls of `unwrap` and `expect`, by line.
    pub unwraps: Vec<(usize, String)>,
    /// Child modules that are declared for tests alone.
    pub test_modules: Vec<Module>,
}

/// Reads the file at `path`, which is `harness/PACKAGE/FOLDER/FILE`.
pub fn read(path: &str, text: &str) -> Result<Source, String> {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let (Some(package), Some(folder)) = (parts.get(1), parts.get(2)) else { return Err(format!("{path}: no crate")) };
    let mut module: Module = parts[3..].iter().map(|part| part.to_string()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    let file = syn::parse_file(text).map_err(|error| format!("{path}: {error}"))?;
    let source = Source {
        path: path.to_string(),
        package: package.to_string(),
        lines: text.lines().count(),
        test: *folder != "src",
        module: module.clone(),
        ..Source::default()
    };
    let mut reader = Reader { source, scope: module, in_test: *folder != "src" };
    reader.visit_file(&file);
    Ok(reader.source)
}

/// Reads every Rust file below `folder`, in order.
pub fn read_all(root: &Path, folder: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    walk(&root.join(folder), "rs", &mut paths);
    let read_one = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source is readable");
        let name = path.strip_prefix(root).expect("a path below the root").to_str().expect("UTF-8");
        read(name, &text).expect("a source that compiles")
    };
    let mut sources: Vec<Source> = paths.into_par_iter().map(read_one).collect();
    mark_tests(&mut sources);
    sources
}

/// Every file below `folder` whose name ends so; not what is built, hidden or of others.
pub fn walk(folder: &Path, ending: &str, paths: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                walk(&path, ending, paths);
            }
        } else if path.extension().is_some_and(|extension| extension == ending) {
            paths.push(path);
        }
    }
}

/// Marks the files of modules that are declared for tests alone.
pub fn mark_tests(sources: &mut [Source]) {
    let tests: Vec<(String, Module)> = sources
        .iter()
        .flat_map(|source| source.test_modules.iter().map(|module| (source.package.clone(), module.clone())))
        .collect();
    for source in sources {
        source.test |= tests.iter().any(|(of, module)| *of == source.package && source.module.starts_with(module));
    }
}

struct Reader {
    source: Source,
    scope: Module,
    in_test: bool,
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn is_number(text: &Expr) -> bool {
    matches!(text, Expr::Lit(literal) if !matches!(literal.lit, syn::Lit::Str(_)))
}

fn line(span: Span) -> usize {
    span.start().line
}

impl Reader {
    fn mention(&mut self, segments: Vec<String>, span: Span) {
        if !self.in_test {
            self.source.mentions.push(Mention { scope: self.scope.clone(), segments, line: line(span) });
        }
    }

    fn function(&mut self, name: &syn::Ident, block: &syn::Block, start: Span) {
        let (first, last) = (line(start), block.brace_token.span.close().end().line);
        self.source.functions.push(Function { name: name.to_string(), line: first, lines: last + 1 - first });
    }

    fn names_of(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.names_of(&path.tree, &with(&path.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.names_of(tree, before)),
            UseTree::Glob(glob) => self.mention([before, &["*".to_string()]].concat(), glob.star_token.spans[0]),
            UseTree::Name(name) if name.ident == "self" => {
                self.brings(before.last(), before.to_vec(), name.ident.span())
            }
            UseTree::Name(name) => self.brings(Some(&name.ident.to_string()), with(&name.ident), name.ident.span()),
            UseTree::Rename(rename) => {
                self.brings(Some(&rename.rename.to_string()), with(&rename.ident), rename.ident.span());
            }
        }
    }

    fn brings(&mut self, name: Option<&String>, segments: Vec<String>, span: Span) {
        let mention = Mention { scope: self.scope.clone(), segments, line: line(span) };
        if let (Some(name), false) = (name, self.in_test) {
            if self.scope == self.source.module {
                self.source.names.insert(name.clone(), mention.clone());
            }
            self.source.mentions.push(mention);
        }
    }

    /// Visits what stands in `attributes`' item, as for tests alone if they say so.
    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Reader)) {
        let before = self.in_test;
        self.in_test |= is_for_tests(attributes);
        visit(self);
        self.in_test = before;
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => &[],
        };
        self.within(attributes, |reader| visit::visit_item(reader, item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.scope.push(item.ident.to_string());
        if item.content.is_none() && self.in_test {
            self.source.test_modules.push(self.scope.clone());
        }
        visit::visit_item_mod(self, item);
        self.scope.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.names_of(&item.tree, &[]);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, &item.block, item.sig.fn_token.span);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, &item.block, item.sig.fn_token.span);
        self.within(&item.attrs, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig.ident, block, item.sig.fn_token.span);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.mention(
                path.segments.iter().map(|segment| segment.ident.to_string()).collect(),
                path.segments[0].ident.span(),
            );
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        // Some types have an `expect` of their own; that of `Option` and `Result` is given a text.
        let panics = match (call.method.to_string().as_str(), call.args.first()) {
            ("unwrap", None) => true,
            ("expect", Some(text)) => matches!(text, Expr::Lit(_) | Expr::Reference(_)) && !is_number(text),
            _ => false,
        };
        if panics && !self.in_test {
            self.source.unwraps.push((line(call.method.span()), call.method.to_string()));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        // Most macros are called with expressions; of others the inside stays unknown.
        if let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
        }
        visit::visit_macro(self, call);
    }
}
