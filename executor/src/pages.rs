//! One value for each cell of the address space, all zero at first, kept in pages that exist once written.

/// Bytes of address space that a page covers.
pub const PAGE_BYTES: usize = 1 << 16;
/// Cells of a page.
const PAGE_CELLS: usize = PAGE_BYTES / 8;
/// Pages of the address space.
const PAGES: usize = 1 << 16;

type Page<T> = Box<[T; PAGE_CELLS]>;

/// A sparse array over the cells of the address space. Cells are named by the address of any of their bytes.
#[derive(Debug)]
pub struct Pages<T> {
    /// One entry for each page.
    directory: Box<[Option<Page<T>>; PAGES]>,
    count: usize,
}

impl<T: Copy + Default> Pages<T> {
    /// Zeros everywhere.
    pub fn new() -> Self {
        let directory: Box<[Option<Page<T>>]> = (0..PAGES).map(|_| None).collect();
        Self {
            directory: directory.try_into().unwrap_or_else(|_| unreachable!("as many as collected")),
            count: 0,
        }
    }

    /// Pages that exist.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The value at `address`.
    #[inline(always)]
    pub fn get(&self, address: u32) -> T {
        match &self.directory[page_of(address)] {
            Some(page) => page[cell_of(address)],
            None => T::default(),
        }
    }

    /// The value at `address`, to be changed, if its page exists.
    #[inline(always)]
    pub fn get_mut(&mut self, address: u32) -> Option<&mut T> {
        Some(&mut self.directory[page_of(address)].as_mut()?[cell_of(address)])
    }

    /// The value at `address`, to be changed; its page exists from now on.
    #[inline(always)]
    pub fn get_or_insert(&mut self, address: u32) -> &mut T {
        if self.directory[page_of(address)].is_none() {
            self.insert(page_of(address));
        }
        match &mut self.directory[page_of(address)] {
            Some(page) => &mut page[cell_of(address)],
            None => unreachable!("the page was inserted"),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, page: usize) {
        let cells: Box<[T]> = vec![T::default(); PAGE_CELLS].into_boxed_slice();
        self.directory[page] = cells.try_into().ok();
        self.count += 1;
    }

    /// Address and value of every cell of the pages that exist, by ascending address.
    pub fn cells(&self) -> impl Iterator<Item = (u32, T)> + '_ {
        let pages =
            self.directory.iter().zip(0_u32..).filter_map(|(page, index)| Some((page.as_ref()?, index)));
        pages.flat_map(|(page, index)| {
            let first = index * PAGE_BYTES as u32;
            page.iter().zip(0_u32..).map(move |(value, cell)| (first + 8 * cell, *value))
        })
    }
}

/// Index of the page that covers `address`; below [`PAGES`].
const fn page_of(address: u32) -> usize {
    address as usize / PAGE_BYTES
}

/// Index within its page of the cell around `address`.
const fn cell_of(address: u32) -> usize {
    address as usize % PAGE_BYTES / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bugs: neighbouring pages that share cells, and the last page of the address space.
    #[test]
    fn cells_are_apart_up_to_the_end() {
        let mut pages = Pages::<u64>::new();
        let addresses = [0, 8, 0xfff8, 0x1_0000, 0x7fff_fff8, 0x8000_0000, 0xffff_fff8];
        assert!(pages.get_mut(0).is_none());
        for (address, value) in addresses.into_iter().zip(1..) {
            assert_eq!(pages.get(address), 0);
            *pages.get_or_insert(address + 7) = value;
        }
        let cells: Vec<_> = pages.cells().filter(|(_, value)| *value != 0).collect();
        let expected: Vec<_> = addresses.into_iter().zip(1..).collect();
        assert_eq!(cells, expected);
        assert_eq!(pages.count(), 5);
    }
}
