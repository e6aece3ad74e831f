//! ELF files of code and data, laid out so that Linux loads them too.

/// Where code starts.
pub const CODE: u32 = 0x1_0000;
/// Where data starts.
pub const DATA: u32 = 0x40_0000;

/// Bytes of a page: Linux wants addresses and file offsets to agree modulo this.
const PAGE_BYTES: usize = 4096;

/// An ELF file with a segment of code at [`CODE`], where it is entered, and one of data at [`DATA`].
#[derive(Clone, Debug, Default)]
pub struct ElfFile {
    /// Instruction words.
    pub code: Vec<u32>,
    /// Initialised, writable data.
    pub data: Vec<u8>,
    /// Functions: name, index of the first word, words.
    pub functions: Vec<(&'static str, u32, u32)>,
}

impl ElfFile {
    /// A file of code alone.
    #[must_use]
    pub fn new(code: Vec<u32>) -> Self {
        Self { code, ..Self::default() }
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let code: Vec<u8> = self.code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (names, symbols) = self.symbols();
        let mut file = vec![0; 64 + 2 * 56];
        let mut place = |bytes: &[u8]| {
            let offset = file.len().next_multiple_of(PAGE_BYTES);
            file.resize(offset, 0);
            file.extend(bytes);
            offset as u64
        };
        let (code_at, data_at) = (place(&code), place(&self.data));
        let (names_at, symbols_at) = (place(&names), place(&symbols));
        let sections = [
            section(0, 0, 0, 0),
            section(2, symbols_at, symbols.len(), 2),
            section(3, names_at, names.len(), 0),
        ];
        let sections_at = place(&sections.concat());

        let header = [
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".as_slice(),
            &[2, 0, 243, 0, 1, 0, 0, 0],
            &u64::from(CODE).to_le_bytes(),
            &64_u64.to_le_bytes(),
            &sections_at.to_le_bytes(),
            &[0, 0, 0, 0, 64, 0, 56, 0, 2, 0, 64, 0, sections.len() as u8, 0, 2, 0],
            &segment(5, code_at, CODE, code.len()),
            &segment(6, data_at, DATA, self.data.len()),
        ];
        let header = header.concat();
        file[..header.len()].copy_from_slice(&header);
        file
    }

    /// Contents of the string table and of the symbol table.
    fn symbols(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut names, mut symbols) = (vec![0], vec![0; 24]);
        for &(name, first, words) in &self.functions {
            symbols.extend((names.len() as u32).to_le_bytes());
            symbols.extend([0x12, 0, 1, 0]);
            symbols.extend(u64::from(CODE + 4 * first).to_le_bytes());
            symbols.extend((4 * u64::from(words)).to_le_bytes());
            names.extend(name.as_bytes());
            names.push(0);
        }
        (names, symbols)
    }
}

fn segment(flags: u8, offset: u64, address: u32, bytes: usize) -> Vec<u8> {
    let mut header = vec![1, 0, 0, 0, flags, 0, 0, 0];
    let address = u64::from(address);
    for number in [offset, address, address, bytes as u64, bytes as u64, PAGE_BYTES as u64] {
        header.extend(number.to_le_bytes());
    }
    header
}

fn section(kind: u8, offset: u64, bytes: usize, link: u8) -> Vec<u8> {
    let mut header = vec![0; 64];
    header[4] = kind;
    header[24..32].copy_from_slice(&offset.to_le_bytes());
    header[32..40].copy_from_slice(&(bytes as u64).to_le_bytes());
    header[40] = link;
    header
}
