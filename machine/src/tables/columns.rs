//! Named columns.

/// A column, or an array of columns, of a table's row.
pub trait Cells<T>: Sized {
    /// Columns.
    const CELLS: usize;
    /// Takes the columns from `cells`.
    fn take(cells: &mut impl Iterator<Item = T>) -> Self;
    /// Gives each column to `cell` in order.
    fn give(self, cell: &mut impl FnMut(T));
}

impl<T> Cells<T> for T {
    const CELLS: usize = 1;

    fn take(cells: &mut impl Iterator<Item = T>) -> Self {
        cells.next().expect("a row has as many cells as its table has columns")
    }

    fn give(self, cell: &mut impl FnMut(T)) {
        cell(self);
    }
}

impl<T, const N: usize> Cells<T> for [T; N] {
    const CELLS: usize = N;

    fn take(cells: &mut impl Iterator<Item = T>) -> Self {
        core::array::from_fn(|_| T::take(cells))
    }

    fn give(self, cell: &mut impl FnMut(T)) {
        self.into_iter().for_each(cell);
    }
}

/// A row with named columns.
pub trait Row<T> {
    /// Number of columns.
    const WIDTH: usize;
    /// Gives each cell to `cell`, in the order of the columns.
    fn for_each(self, cell: &mut impl FnMut(T));
}

/// Declares the columns of a table as a struct over the cell type `T`, with conversions from and to a row.
///
/// Fields are of type `T` or `[T; N]`. The struct gets `WIDTH`, `from_row`, `for_each` and `names`.
macro_rules! columns {
    ($(#[$meta:meta])* pub struct $name:ident<T> { $($(#[$doc:meta])* pub $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name<T> {
            $($(#[$doc])* pub $field: $ty,)*
        }

        impl<T> $name<T> {
            /// Number of columns.
            pub const WIDTH: usize = 0 $(+ <$ty as $crate::tables::Cells<T>>::CELLS)*;

            /// The columns of a row.
            ///
            /// # Panics
            /// When the row is shorter than the table is wide.
            pub fn from_row(row: &[T]) -> Self
            where
                T: Copy,
            {
                let cells = &mut row.iter().copied();
                Self { $($field: $crate::tables::Cells::take(cells),)* }
            }

        }

        impl<T> $crate::tables::Row<T> for $name<T> {
            const WIDTH: usize = Self::WIDTH;

            fn for_each(self, cell: &mut impl FnMut(T)) {
                $($crate::tables::Cells::give(self.$field, cell);)*
            }
        }

        impl<T> $name<T> {
            /// Name of each column, as reports show it.
            pub fn names() -> alloc::vec::Vec<alloc::string::String> {
                let mut names = alloc::vec::Vec::with_capacity(Self::WIDTH);
                $(
                    let cells = <$ty as $crate::tables::Cells<T>>::CELLS;
                    for index in 0..cells {
                        names.push(match cells {
                            1 => alloc::string::String::from(stringify!($field)),
                            _ => alloc::format!("{}[{index}]", stringify!($field)),
                        });
                    }
                )*
                names
            }
        }
    };
}
pub(crate) use columns;
