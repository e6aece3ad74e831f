"""Applies block files to the executable specification of Ethereum (PyPI: ethereum-execution).

Usage: eels_check.py BLOCK...

Each BLOCK is a file that `lambda-prove block gen` wrote: a Prague block on the development chain whose
witness is the whole state before it. Prints a line per block and exits with 1 where the specification refuses
one. Nothing of this repository takes part but the file.
"""

import sys

from ethereum.crypto.hash import keccak256
from ethereum.forks.prague import fork, state, transactions, vm
from ethereum.forks.prague.blocks import Block, Header
from ethereum.forks.prague.fork_types import Account, Address
from ethereum_rlp import rlp
from ethereum_types.bytes import Bytes32
from ethereum_types.numeric import U64, U256, Uint

EMPTY_CODE = keccak256(b"")
SYSTEM_CONTRACTS = [
    "000f3df6d732807ef1319fb7b8bb8522d0beac02",
    "0000f90827f1c53a10cb7a02335b175320002935",
    "00000961ef480eb55e80d19ad83579a64c007002",
    "0000bbddc7ce488642fb579f8b00f3a590007251",
]


def nibbles(key):
    return [nibble for byte in key for nibble in (byte >> 4, byte & 15)]


def leaf(node, path, nodes):
    """The value at `path` below `node`, None where there is none."""
    if isinstance(node, bytes):
        if not node:
            return None
        node = rlp.decode(nodes[node])
    if len(node) == 17:
        return leaf(node[path[0]], path[1:], nodes)
    prefix = nibbles(node[0])
    is_leaf, prefix = prefix[0] >= 2, prefix[1 if prefix[0] % 2 else 2 :]
    if path[: len(prefix)] != prefix:
        return None
    return node[1] if is_leaf else leaf(node[1], path[len(prefix) :], nodes)


def check(path):
    with open(path, "rb") as file:
        chain_id, block, headers, _, _, nodes, codes = rlp.decode(file.read())
    chain_id = U64(int.from_bytes(chain_id, "big"))
    block = rlp.decode_to(Block, block)
    parent = rlp.decode_to(Header, headers[0])
    nodes = {bytes(keccak256(node)): node for node in nodes}
    codes = {bytes(keccak256(code)): code for code in codes}

    addresses = {Address(bytes.fromhex(address)) for address in SYSTEM_CONTRACTS}
    for encoded in block.transactions:
        transaction = transactions.decode_transaction(encoded)
        addresses |= {transactions.recover_sender(chain_id, transaction), transaction.to}
    before = state.State()
    for address in addresses:
        value = leaf(bytes(parent.state_root), nibbles(keccak256(address)), nodes)
        if value is None:
            continue
        nonce, balance, _, code_hash = rlp.decode(value)
        code = b"" if code_hash == EMPTY_CODE else codes[bytes(code_hash)]
        number = lambda value: int.from_bytes(value, "big")
        state.set_account(before, address, Account(Uint(number(nonce)), U256(number(balance)), code))
    assert state.state_root(before) == parent.state_root, "the witness is not the whole state"

    chain = fork.BlockChain([Block(parent, (), (), ())], before, chain_id)
    fork.state_transition(chain, block)
    return f"{path}: accepted, {len(block.transactions)} transactions, 0x{keccak256(rlp.encode(block.header)).hex()}"


def main():
    for path in sys.argv[1:]:
        try:
            print(check(path))
        except Exception as error:
            sys.exit(f"{path}: refused, {type(error).__name__}: {error}")


main()
