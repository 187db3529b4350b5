# SPDX-License-Identifier: MIT
"""What the counting plugin counts x86-64 instructions as.

The decoder alone, against instructions that are assembled here and known by hand; then against
every instruction of a sample kernel, as objdump names it. The plugin as a whole, against functions
of the kernel without branches.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import boot
import experiments
from tap import Tap

TOOLS = boot.ARCHS["x86_64"]

# What it is counted as, and instructions in the words of the assembler.
KINDS: dict[str, list[str]] = {
    "atomic": [
        "lock incl (%rdi)",
        "lock addq $1, 8(%rdi)",
        "lock orq %rax, %gs:(%rdi)",
        "lock andl $~1, 0x12345678(%rip)",
        "lock btsl $3, (%r12)",
        "lock cmpxchgq %rcx, (%rdi)",
        "lock cmpxchg16b (%rdi)",
        "lock xaddl %eax, (%rdi)",
        "lock orw $0, (%rdi)",
        "lock orl $0, (%rdi)",
        "lock orl $0, (%r12)",
        "lock orl $1, (%rsp)",
        "lock orl $0, 8(%rsp)",
        "lock orl $0, (%rsp, %rax)",
        "lock addl $0, (%rsp)",
        "xchgb %al, (%rdi)",
        "xchgl %eax, (%rdi)",
        "xchgq %r9, (%r10)",
        "xchgq %rax, %gs:0x10",
        "xchgw %ax, 4(%rip)",
        "lock xchgq %rax, (%rdi)",
    ],
    "fence": ["mfence", "lock orl $0, (%rsp)", "lock orq $0, (%rsp)"],
    "root": ["mov %rax, %cr3", "mov %r9, %cr3"],
    "invlpg": ["invlpg (%rdi)", "invlpg 0x1000(%r12)", "invlpg %gs:(%rax)"],
    "invpcid": ["invpcid (%rdi), %rax", "invpcid 8(%r12), %r9", "invpcid (%rsp), %rcx"],
    "other": [
        "nop",
        "pause",
        "ret",
        "xchgl %eax, %ecx",
        "xchgq %rbx, %rcx",
        "xchgb %al, %bl",
        "xchgw %ax, %ax",
        "mov %cr3, %rax",
        "mov %rax, %cr0",
        "mov %rax, %cr2",
        "mov %rax, %cr4",
        "mov %rax, %cr8",
        "mov %rax, %db3",
        "lfence",
        "sfence",
        "fxsave (%rdi)",
        "xsaveopt (%rdi)",
        "clflush (%rdi)",
        "clwb (%rdi)",
        "umonitor %rax",
        "tpause %eax",
        "swapgs",
        "rdtscp",
        "lgdt (%rdi)",
        "lmsw %ax",
        "orl $0, (%rsp)",
        "cmpxchgq %rcx, (%rdi)",
        "xaddl %eax, (%rdi)",
        "pshufb %xmm1, %xmm0",
        "movbe (%rdi), %eax",
        "movl $0x86f00f22, %eax",
        "movabs $0x82380f66d8220ff0, %rax",
        "rep stosb",
        "vaddps %ymm0, %ymm1, %ymm2",
        "vpaddd %zmm0, %zmm1, %zmm2",
        "popcnt %eax, %ecx",
    ],
}

# Bytes that an assembler would not write: a REX before another prefix is none; an end too early.
BYTES = {
    "48 66 0f 38 82 07": "invpcid",
    "44 f3 0f 22 d8": "root",
    "44 0f 22 d8": "other",
    "44 48 0f 22 d8": "root",
    "41 f0 83 0c 24 00": "fence",
    "f0 41 83 0c 24 00": "atomic",
    "0f 38 82 07": "other",
    "0f": "other",
    "66": "other",
    "f0": "atomic",
    "87": "atomic",
}

# Of objdump's words, those of each kind.
WORDS = {
    "fence": re.compile(r"mfence|lock or[lq] +\$0x0,\(%rsp\)"),
    "atomic": re.compile(r"lock |xchg\w* .*\("),
    "root": re.compile(r"mov +%\w+,%cr3"),
    "invlpg": re.compile(r"invlpg "),
    "invpcid": re.compile(r"invpcid "),
}
_LINE = re.compile(r"^\s*[0-9a-f]+:\t((?:[0-9a-f]{2} )+)\s*(?:\t(.*))?$", re.MULTILINE)

# Functions of the kernel, and the case that measures each.
STRAIGHT = {
    "bench_seven_nops": "seven nops",
    "bench_return": "return",
    "cpu_id_call": "cpu id call",
    "cpu_id_inlined": "cpu id inlined",
}

# The most instructions that a call of the default build may take, with the compiler that README's
# figures are from. A hit is in the first slot of the CPU.
COMPILER_OF_FIGURES = "12.2.0"
BUDGET = {
    "switch hit": 38,
    "switch to the space that is loaded": 19,
    "enter lazy": 17,
}


def disassembled(file: Path, *arguments: str) -> list[tuple[str, str]]:
    """Bytes and words of each instruction."""
    command = [TOOLS.tool("objdump"), "-dw", *arguments, str(file)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [(b.strip(), words.split(" #")[0].split(" <")[0]) for b, words in _LINE.findall(text)]


def decoded(decode: Path, instructions: list[str]) -> list[str]:
    """What the decoder says of each, given the bytes."""
    text = "\n".join(instructions) + "\n"
    done = subprocess.run(
        [str(decode)], input=text, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.split()


def assembled(instructions: list[str]) -> list[str]:
    """The bytes of each."""
    with tempfile.TemporaryDirectory(prefix="ktlb-count-") as directory:
        source = Path(directory) / "instructions.S"
        source.write_text("\n".join(instructions) + "\n")
        target = source.with_suffix(".o")
        compiler = [TOOLS.tool("gcc"), "-c", "-o", str(target), str(source)]
        subprocess.run(compiler, check=True)
        return [found for found, _ in disassembled(target)]


def by_words(words: str) -> str:
    """The kind, as objdump's words say."""
    return next((kind for kind, pattern in WORDS.items() if pattern.match(words)), "other")


def test_decoder(tap: Tap, decode: Path, kernel: Path) -> None:
    """The decoder alone."""
    known = [(text, kind) for kind, texts in KINDS.items() for text in texts]
    found = assembled([text for text, _ in known])
    tap.check("x86-64: each line is one instruction", len(found), len(known))
    for (text, kind), got in zip(known, decoded(decode, found), strict=True):
        tap.check(f"x86-64: {text}", got, kind)
    for (text, kind), got in zip(BYTES.items(), decoded(decode, list(BYTES)), strict=True):
        tap.check(f"x86-64: bytes {text}", got, kind)

    listed = disassembled(kernel)
    got = decoded(decode, [found for found, _ in listed])
    wrong = [
        (words, kind)
        for (_, words), kind in zip(listed, got, strict=True)
        if kind != by_words(words)
    ]
    tap.check("x86-64: every instruction of the kernel, as objdump names it", wrong[:5], [])
    tap.check("x86-64: the kernel has all kinds", set(got), {"other", *WORDS})


def test_kernel(tap: Tap, kernel: Path, plugin: Path) -> None:
    """The counts of functions without branches, against their disassembly."""
    measured = boot.run(experiments.micro_x86_64("default"), kernel, plugin)
    for function, case in STRAIGHT.items():
        words = [w for _, w in disassembled(kernel, f"--disassemble={function}")]
        end = next(i for i, w in enumerate(words) if w.startswith("ret")) + 1
        branches = [w for w in words[: end - 1] if w.startswith(("j", "call"))]
        tap.check(f"x86-64: {function} has no branches", branches, [])
        tap.check(f"x86-64: {case}, as disassembled", measured[case]["instructions"], end)
    tap.check("x86-64: the switch is counted by its address", measured["switch hit"]["called"], 1)
    tap.check("x86-64: no interrupts in between", measured["switch hit"]["interrupt"], 0)
    test_budgets(tap, measured)


def test_budgets(tap: Tap, measured: dict[str, Counter[str]]) -> None:
    """The calls of the scheduler take no more than they should."""
    command = [TOOLS.tool("gcc"), "-dumpfullversion"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    if version != COMPILER_OF_FIGURES:
        print(f"# budgets are {COMPILER_OF_FIGURES}'s, here is {version}: not compared")
        return
    for case, most in BUDGET.items():
        got = measured[case]["instructions"]
        tap.check(f"x86-64: {case}: {most} instructions at the most", got if got > most else 0, 0)
