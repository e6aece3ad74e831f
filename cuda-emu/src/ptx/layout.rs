//! Addresses of variables and parameters.

use std::collections::HashMap;

use super::PtxError;
use super::address::MODULE_WINDOW;
use super::kernel::ParamSize;
use super::syntax::{Entry, Home, Operand, Parameter, Variable};

/// Alignment at which dynamic shared memory starts.
const DYNAMIC_ALIGN: u32 = 16;

/// The module's constants and global variables: one image each.
#[derive(Debug, Default)]
pub(super) struct ModuleLayout {
    pub(super) constants: Vec<u8>,
    pub(super) globals: Vec<u8>,
    /// Address of each; those in global memory are in the module's window.
    pub(super) addresses: HashMap<String, (Home, u64)>,
    /// Module-level shared variables, placed in each kernel that names them.
    shared: HashMap<String, Variable>,
}

impl ModuleLayout {
    pub(super) fn new(variables: &[Variable]) -> Self {
        let mut layout = Self::default();
        for variable in variables {
            let (image, base) = match variable.home {
                Home::Const => (&mut layout.constants, 0),
                Home::Global => (&mut layout.globals, MODULE_WINDOW),
                Home::Shared | Home::DynamicShared | Home::Local => {
                    layout.shared.insert(variable.name.clone(), variable.clone());
                    continue;
                }
            };
            let start = image.len().next_multiple_of(variable.align as usize);
            image.resize(start, 0);
            image.extend_from_slice(&variable.initial);
            image.resize(start + variable.bytes as usize, 0);
            layout.addresses.insert(variable.name.clone(), (variable.home, base + start as u64));
        }
        layout
    }
}

/// Addresses as one kernel sees them.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    module: &'a ModuleLayout,
    own: HashMap<String, (Home, u64)>,
    parameters: HashMap<String, ParamSize>,
    pub(super) static_shared_bytes: u32,
    pub(super) dynamic_shared_start: u32,
    pub(super) local_bytes: u32,
}

impl<'a> Layout<'a> {
    /// Places the entry's variables, and the module-level shared ones that it names.
    pub(super) fn new(module: &'a ModuleLayout, entry: &Entry) -> Self {
        let mut layout = Self {
            module,
            own: HashMap::new(),
            parameters: HashMap::new(),
            static_shared_bytes: 0,
            dynamic_shared_start: 0,
            local_bytes: 0,
        };
        let parameters = parameters(&entry.parameters);
        let names = entry.parameters.iter().map(|parameter| parameter.name.clone());
        layout.parameters = names.zip(parameters).collect();

        let named = entry.body.statements.iter().flat_map(|statement| &statement.operands).filter_map(symbol);
        let used = named.filter_map(|name| module.shared.get(name));
        let mut dynamic = Vec::new();
        for variable in entry.body.variables.iter().chain(used) {
            if layout.own.contains_key(&variable.name) {
                continue;
            }
            let (end, bytes) = match variable.home {
                Home::Local => (&mut layout.local_bytes, variable.bytes),
                Home::Shared => (&mut layout.static_shared_bytes, variable.bytes),
                Home::DynamicShared | Home::Const | Home::Global => {
                    dynamic.push(variable);
                    continue;
                }
            };
            let start = end.next_multiple_of(variable.align);
            *end = start + bytes;
            layout.own.insert(variable.name.clone(), (variable.home, u64::from(start)));
        }
        let align = dynamic.iter().map(|variable| variable.align).fold(DYNAMIC_ALIGN, u32::max);
        layout.dynamic_shared_start = layout.static_shared_bytes.next_multiple_of(align);
        for variable in dynamic {
            let place = (variable.home, u64::from(layout.dynamic_shared_start));
            layout.own.insert(variable.name.clone(), place);
        }
        layout
    }

    /// Space and address of a variable.
    pub(super) fn address(&self, name: &str, line: u32) -> Result<(Home, u64), PtxError> {
        let place = self.own.get(name).or_else(|| self.module.addresses.get(name)).copied();
        place.ok_or_else(|| PtxError { line, what: format!("the symbol `{name}` is not declared") })
    }

    /// Where the parameter of this name lies.
    pub(super) fn parameter(&self, name: &str, line: u32) -> Result<ParamSize, PtxError> {
        let place = self.parameters.get(name).copied();
        place.ok_or_else(|| PtxError { line, what: format!("the parameter `{name}` is not declared") })
    }
}

/// Offsets of the parameters: each at its alignment.
pub(super) fn parameters(declared: &[Parameter]) -> Vec<ParamSize> {
    let mut end = 0u32;
    declared
        .iter()
        .map(|parameter| {
            let offset = end.next_multiple_of(parameter.align.max(1));
            end = offset + parameter.bytes;
            ParamSize { offset, bytes: parameter.bytes }
        })
        .collect()
}

fn symbol(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Symbol(name, _) | Operand::AtSymbol(name, _) => Some(name),
        _ => None,
    }
}
