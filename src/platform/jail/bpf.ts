/** One instruction of a classic BPF program: code, jump if true, jump if false, operand (linux/filter.h). */
export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const LOAD_WORD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45; // BPF_JSET
const RETURN = 0x06;

// linux/seccomp.h
export const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000];
export const KILL_PROCESS: Instruction = [RETURN, 0, 0, 0x80000000];
export const fail = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno];

// struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]
export const loadNumber: Instruction = [LOAD_WORD, 0, 0, 0];
export const loadArch: Instruction = [LOAD_WORD, 0, 0, 4];
/** The low half: every argument judged here is an int or a flag word to the kernel. Both machines are little-endian. */
export const loadArgument = (index: number): Instruction => [LOAD_WORD, 0, 0, 16 + 8 * index];

export const and = (mask: number): Instruction => [AND, 0, 0, mask];

/** Runs `body` where the loaded word equals `value`, and jumps over it otherwise. */
export function whenEqual(value: number, body: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, body.length, value], ...body];
}

export function unlessEqual(value: number, then: Instruction): Instruction[] {
  return [[JUMP_EQUAL, 1, 0, value], then];
}

export function whenAtLeast(value: number, body: readonly Instruction[]): Instruction[] {
  return [[JUMP_GREATER_OR_EQUAL, 0, body.length, value], ...body];
}

export function whenAnyBit(mask: number, body: readonly Instruction[]): Instruction[] {
  return [[JUMP_ANY_BIT, 0, body.length, mask], ...body];
}

/** As the kernel reads it: struct sock_filter { u16 code; u8 jt, jf; u32 k; }. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    if (ifTrue > 255 || ifFalse > 255) throw new TypeError("A BPF jump reaches 255 instructions at most");
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  });
  return bytes;
}
