// npm for the programs that run before anything is installed: plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { basename } from 'node:path';

const PROGRESS_EVERY_MS = 15_000;
const KEPT_OUTPUT_CHARS = 8_000;

/** Of every installation. */
export const NPM_OPTIONS = [
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--loglevel=error',
  '--fetch-retry-mintimeout=2000',
  '--fetch-retry-maxtimeout=10000',
];

/** What ends a command with a message alone. */
export class Refusal extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs the npm that runs us. Its output goes nowhere near standard output, which belongs to the program's data; it is
 * shown only when npm fails.
 */
export async function npm(title, args, folder) {
  const self = process.env.npm_execpath ?? '';
  const [command, first] =
    basename(self).startsWith('npm') && self.endsWith('.js') ? [process.execPath, [self]] : ['npm', []];
  const stopProgress = showProgress(title);
  let output = '';
  const child = spawn(command, [...first, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-KEPT_OUTPUT_CHARS);
    });
  }
  const failure = await new Promise((resolve) => {
    child.once('error', (error) => resolve(`npm cannot be run: ${error.message}`));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `npm ended with ${signal ?? code}`));
  });
  stopProgress();
  if (failure !== undefined) throw new Refusal(`${output.trim()}\n\n${adviseOn(output, failure, folder)}`);
}

function adviseOn(output, failure, folder) {
  const again = 'then run the same command again.';
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET/.test(output)) {
    return `The dependencies could not be installed: the package registry cannot be reached. Check the network and, behind a proxy, "npm config get https-proxy", ${again}\nOn a machine without a network, copy node_modules from one that has it and the same system.`;
  }
  if (/CERT|SSL|self.signed/i.test(output)) {
    return `The dependencies could not be installed: the registry's certificate is not trusted. Name your certificate authority in NODE_EXTRA_CA_CERTS, ${again}`;
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return `The dependencies could not be installed: ${folder} cannot be written. Run this as the owner of that folder, ${again}`;
  }
  // npm's own defect, seen where the network broke off in the middle.
  if (/Exit handler never called/.test(output)) {
    return 'The dependencies could not be installed: npm gave up, most often because the network broke off for a moment. Run the same command again.';
  }
  if (/ENOSPC/.test(output))
    return `The dependencies could not be installed: the disk is full. Make room (about 1 GB), ${again}`;
  return `The dependencies could not be installed: ${failure}. What npm said stands above.`;
}

/** One line that counts seconds on a terminal, a line now and then elsewhere. */
function showProgress(title) {
  const begun = Date.now();
  const seconds = () => Math.round((Date.now() - begun) / 1000);
  const terminal = process.stderr.isTTY;
  if (!terminal) say(`${title} …`);
  const timer = setInterval(
    () => (terminal ? process.stderr.write(`\r${title} … ${seconds()} s`) : say(`${title} … ${seconds()} s so far`)),
    terminal ? 1000 : PROGRESS_EVERY_MS,
  );
  return () => {
    clearInterval(timer);
    if (terminal) process.stderr.write('\r\u001B[K');
    say(`${title}: ${seconds()} s.`);
  };
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}
