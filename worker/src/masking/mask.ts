import { AnchorIndex } from './anchor-index.ts';
import { builtInAnchors } from './anchors.ts';
import type { HostLists } from './host-policy.ts';
import { knownValueAnchors } from './known-values.ts';
import { MaskMachine, type MaskSpan } from './mask-machine.ts';
import { Scratch } from './text-window.ts';

export interface MaskOptions {
  /** The service's own secrets, hosts and addresses: masked wherever they appear, in any encoding. */
  readonly knownValues?: readonly string[];
  /** Hosts whose URLs are always masked, subdomains included. */
  readonly maskHosts?: readonly string[];
  /** Hosts whose URLs are never masked, subdomains included. */
  readonly allowHosts?: readonly string[];
}

export interface MaskResult {
  readonly text: string;
  /** What was masked, in positions of the masked text. */
  readonly spans: readonly MaskSpan[];
}

export interface Masker {
  readonly mask: (text: string) => MaskResult;
  readonly createStream: () => TransformStream<string, string>;
}

/** Compiles the options once. Build it at start: the table takes milliseconds, a call microseconds. */
export function createMasker(options: MaskOptions = {}): Masker {
  const index = compile(options);
  const scratch = new Scratch();
  return {
    mask: (text) => {
      const machine = new MaskMachine(index, scratch, true);
      return { text: machine.feed(text, true), spans: machine.spans };
    },
    createStream: () => streamOf(new MaskMachine(index, scratch, false)),
  };
}

/**
 * Masks API endpoints, keys, IP addresses and connection strings in `text`. Never throws on any text, lone surrogates
 * included; masking its own output changes nothing.
 */
export function mask(text: string, options?: MaskOptions): MaskResult {
  return maskerFor(options).mask(text);
}

/** A stream of text pieces that masks as `mask` does, whatever the pieces are, in bounded memory. */
export function createMaskStream(options?: MaskOptions): TransformStream<string, string> {
  return maskerFor(options).createStream();
}

const compiled = new WeakMap<MaskOptions, Masker>();
const NO_OPTIONS: MaskOptions = {};

function maskerFor(options: MaskOptions = NO_OPTIONS): Masker {
  const masker = compiled.get(options) ?? createMasker(options);
  compiled.set(options, masker);
  return masker;
}

function compile({ knownValues = [], maskHosts = [], allowHosts = [] }: MaskOptions): AnchorIndex {
  const hosts: HostLists = { mask: hostsOf(maskHosts), allow: hostsOf(allowHosts) };
  return new AnchorIndex([...knownValueAnchors(knownValues), ...builtInAnchors(hosts)]);
}

/** Lower case, without a leading `*.`; an empty entry would be every host. */
function hostsOf(entries: readonly string[]): string[] {
  return entries
    .map((host) =>
      host
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .filter((host) => host !== '');
}

function streamOf(machine: MaskMachine): TransformStream<string, string> {
  return new TransformStream({
    transform(chunk, controller) {
      const output = machine.feed(chunk, false);
      if (output !== '') controller.enqueue(output);
    },
    flush(controller) {
      const output = machine.feed('', true);
      if (output !== '') controller.enqueue(output);
    },
  });
}
