// Runs the example's WebAssembly module: node wasm.mjs module.wasm
import { readFileSync, writeSync } from "node:fs";

let memory;
const board = {
  write(start) {
    const bytes = new Uint8Array(memory.buffer);
    let end = start;
    while (bytes[end]) end++;
    writeSync(1, bytes.subarray(start, end));
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { board });
memory = instance.exports.memory;
process.exit(instance.exports.run());
