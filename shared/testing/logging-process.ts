import { openLogOutput } from '../src/logger.ts';
import { openRotatingOutput } from '../src/rotating-output.ts';

// Writes numbered lines to its standard output as fast as it can: `PATH COUNT [BYTES FILES]`. Its event loop turns now
// and then.
const [path = '', count, bytes, files] = process.argv.slice(2);
const output =
  bytes === undefined ? openLogOutput(path) : openRotatingOutput(path, { bytes: Number(bytes), files: Number(files) });

for (let number = 0; number < Number(count); number++) {
  output.write(`${JSON.stringify({ number, padding: 'ä'.repeat(number % 97) })}\n`);
  if (number % 1_000 === 999) await new Promise(setImmediate);
}
