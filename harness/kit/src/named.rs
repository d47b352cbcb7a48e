//! Constants that a table names: both are written once, by row.

/// Declares the fields of an entity: a constant per row, and the table of their names and ranges.
///
/// ```text
/// fields! {
///     /// What the table has.
///     FIELD_TABLE: FIELDS;
///     /// What the field is.
///     MODEL = 0, "model", Unit::Int(0, 0xff);
/// }
/// ```
#[macro_export]
macro_rules! fields {
    (
        $(#[$table_doc:meta])* $table:ident: $count:expr;
        $($(#[$doc:meta])* $name:ident = $index:literal, $text:literal, $unit:expr;)*
    ) => {
        $($(#[$doc])* pub const $name: usize = $index;)*

        $(#[$table_doc])*
        pub const $table: [$crate::Field; $count] = [$($crate::Field { name: $text, unit: $unit }),*];

        const _: () = $crate::named::assert_in_order(&[$($index),*]);
    };
}

/// Declares the kinds of content that a datagram can carry: a constant per row, and `MARKS`, the table of their names.
#[macro_export]
macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident = $index:literal, $text:literal;)*) => {
        $(#[doc = concat!("The mark `", $text, "`.")] $(#[$doc])* pub const $name: usize = $index;)*

        /// What a datagram can carry, by number of the mark.
        pub const MARKS: [&str; [$($text),*].len()] = [$($text),*];

        const _: () = $crate::named::assert_in_order(&[$($index),*]);
    };
}

/// Declares numbers of the wire: a constant per row, and a function that has the name of a number.
#[macro_export]
macro_rules! numbered {
    ($(#[$doc:meta])* $function:ident; $($(#[$each:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        $($(#[$each])* pub const $name: u8 = $value;)*

        $(#[$doc])*
        pub const fn $function(number: u8) -> Option<&'static str> {
            match number {
                $($name => Some($text),)*
                _ => None,
            }
        }
    };
}

/// Refuses, at compile time, a table whose rows do not stand where their numbers say.
pub const fn assert_in_order(numbers: &[usize]) {
    let mut place = 0;
    while place < numbers.len() {
        assert!(numbers[place] == place, "a row stands where its number does not say");
        place += 1;
    }
}

/// How many values there are in `tables`.
pub const fn count<T>(tables: &[&[T]]) -> usize {
    let (mut count, mut table) = (0, 0);
    while table < tables.len() {
        (count, table) = (count + tables[table].len(), table + 1);
    }
    count
}

/// The `N` values of `tables`, of which the first is not empty, in one.
pub const fn joined<T: Copy, const N: usize>(tables: &[&[T]]) -> [T; N] {
    let mut all = [tables[0][0]; N];
    let (mut at, mut table) = (0, 0);
    while table < tables.len() {
        let mut index = 0;
        while index < tables[table].len() {
            all[at] = tables[table][index];
            (at, index) = (at + 1, index + 1);
        }
        table += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "a row stands where its number does not say")]
    fn a_table_with_two_rows_exchanged_is_refused() {
        super::assert_in_order(&[0, 2, 1]);
    }
}
