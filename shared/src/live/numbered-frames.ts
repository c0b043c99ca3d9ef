import type { Frame, Track } from './frames.ts';

/**
 * Frames as gateways since 1.1 take them: a worker gives each of its streams a number, and says once which request that is.
 * Its frames then take a byte or two beside their text where they go on where the one before ended, which nearly all do:
 *
 *   piece    = number, data, END; or NEXT instead of END, where a piece follows that has the next number and whose text goes
 *              on: that has no number of its own, and begins with its data. Where data ends with a space, as most does that
 *              was withheld until its word had ended, the space is left out, and SPACE_END or SPACE_NEXT stands for both
 *   number   = digits of base 64, the lowest first, each a character; 64 is added where another one follows. It is four
 *              times what is added to the number of the piece before, plus 0 (text goes on), 1 (reasoning goes on),
 *              2 (in full) or 3 (the counting of numbers begins anew: no piece, and the next number follows at once)
 *   in full  = number, one of `trc` for the track, its offset as digits, data, and one of these ends; or of `TRC`, and data is
 *              JSON, because one of the ends is in it
 *
 * script-includes/numbered-frames.lua reads the same. A frame that goes on has a place only for who has all entries of that
 * worker since the last one in full: entries are counted, and each stream has one in full every second.
 */
const END = '\x1f';
const NEXT = '\x1e';
const SPACE_END = '\x1d';
const SPACE_NEXT = '\x1c';
const BASE = 64;
const TRACK_LETTERS = { text: 't', reasoning: 'r', call: 'c' } as const;
const TRACKS_OF: Readonly<Record<string, Track>> = { t: 'text', r: 'reasoning', c: 'call' };
const [TEXT_GOES_ON, REASONING_GOES_ON, IN_FULL, ANEW] = [0, 1, 2, 3];

/** What the instance ids of gateways end with that take numbered frames. */
export const TAKES_NUMBERS = '.3';

/** Whether a gateway takes numbered frames; an older one takes none but those of frames.ts. */
export function takesNumbers(gateway: string): boolean {
  return gateway.endsWith(TAKES_NUMBERS);
}

/** A masked piece of a stream that has a number. */
export interface NumberedPiece {
  readonly number: number;
  readonly track: Track;
  /** Where it begins in its track, see `Frame`. */
  readonly offset: number;
  readonly data: string;
  /** Whether it begins where the last one of its track ended that went the same way. */
  readonly goesOn: boolean;
}

/** Whether a piece can be written without JSON. */
export function isPlain(data: string): boolean {
  return endOf(data, 0) < 0;
}

/** Writes pieces one after the other; those of small and rising numbers take least. Never throws. */
export function writeNumbered(pieces: readonly NumberedPiece[]): string {
  if (pieces.length === 0) return '';
  let all = writeDigits(ANEW);
  let before = 0;
  let isNext = false;
  for (const [index, piece] of pieces.entries()) {
    const { number } = piece;
    // Whatever they were sorted by: numbers are never below the one before.
    if (number < before) {
      all += writeDigits(ANEW);
      before = 0;
    }
    const written = isNext ? piece.data : writePiece(piece, number - before);
    before = number;
    const following = pieces[index + 1];
    isNext = following?.number === number + 1 && following.track === 'text' && isOnward(following);
    const isSpaced = piece.data.endsWith(' ') && written.endsWith(' ');
    all += isSpaced ? written.slice(0, -1) + (isNext ? SPACE_NEXT : SPACE_END) : written + (isNext ? NEXT : END);
  }
  return all;
}

function isOnward({ goesOn, track, data }: NumberedPiece): boolean {
  return goesOn && track !== 'call' && isPlain(data);
}

function writePiece(piece: NumberedPiece, step: number): string {
  const { track, offset, data } = piece;
  if (isOnward(piece)) return writeDigits(step * 4 + (track === 'text' ? TEXT_GOES_ON : REASONING_GOES_ON)) + data;
  const letter = TRACK_LETTERS[track];
  const [name, text] = isPlain(data) ? [letter, data] : [letter.toUpperCase(), JSON.stringify(data)];
  return writeDigits(step * 4 + IN_FULL) + name + writeDigits(offset) + text;
}

/** Writes whole numbers as pieces do, for what else is said of numbered streams. */
export function writeDigits(value: number): string {
  let digits = '';
  let rest = value;
  for (; rest >= BASE; rest = Math.floor(rest / BASE)) digits += String.fromCharCode(BASE + (rest % BASE));
  return digits + String.fromCharCode(rest);
}

/** @param offset `undefined` where the piece goes on */
type TakePiece = (number: number, track: Track, offset: number | undefined, data: string) => void;

/** Reads what `writeNumbered` wrote. Never throws: of what is none of it, the rest is left out. */
export function readNumbered(all: string, take: TakePiece): void {
  let at = 0;
  let number = 0;
  const readDigits = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= BASE) {
      const code = all.charCodeAt(at++);
      // At the end of the text it is NaN.
      if (!(code >= BASE)) return value + code * unit;
      value += (code - BASE) * unit;
      if (unit > Number.MAX_SAFE_INTEGER / BASE) return Number.NaN;
    }
  };
  let isNext = false;
  while (at < all.length) {
    const value = isNext ? 4 + TEXT_GOES_ON : readDigits();
    const how = value % 4;
    if (how === ANEW) number = 0;
    number += Math.floor(value / 4);
    if (how === ANEW) continue;
    const letter = how === IN_FULL ? all.charAt(at++) : '';
    const offset = how === IN_FULL ? readDigits() : undefined;
    const end = endOf(all, at);
    if (end < 0 || !Number.isSafeInteger(number)) return;
    const close = all.charAt(end);
    const data = all.slice(at, end) + (close === SPACE_END || close === SPACE_NEXT ? ' ' : '');
    isNext = close === NEXT || close === SPACE_NEXT;
    at = end + 1;
    if (how !== IN_FULL) take(number, how === TEXT_GOES_ON ? 'text' : 'reasoning', undefined, data);
    else if (!takeFull(number, letter, offset, data, take)) return;
  }
}

function endOf(all: string, from: number): number {
  for (let at = from; at < all.length; at++) {
    const code = all.charCodeAt(at);
    if (code >= 0x1c && code <= 0x1f) return at;
  }
  return -1;
}

function takeFull(number: number, letter: string, offset = Number.NaN, data = '', take: TakePiece): boolean {
  const track = TRACKS_OF[letter.toLowerCase()];
  if (track === undefined || !Number.isSafeInteger(offset)) return false;
  const text = letter === TRACK_LETTERS[track] ? data : readText(data);
  if (text !== undefined) take(number, track, offset, text);
  return text !== undefined;
}

function readText(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/** What a number of a worker's stands for. */
export interface NumberedStart {
  readonly requestId: string;
  /** See `Frame`. */
  readonly start: number;
}

/** As send-frames.lua writes it. */
export function readNumberedStart(said: string): NumberedStart | undefined {
  const [, start, requestId = ''] = /^([0-9]{1,9}) (\S{1,64})$/.exec(said) ?? [];
  return start === undefined ? undefined : { start: Number(start), requestId };
}

/** One entry of numbered frames in an inbox. */
export interface NumberedEntry {
  readonly worker: string;
  /** Of this worker's entries in this inbox, each one more than the one before. */
  readonly sequence: number;
  /** Pieces of streams that were introduced before. */
  readonly pieces: string;
  /** Pieces of streams that are new: what their number stands for, and their pieces. */
  readonly firsts: readonly { readonly number: number; readonly start: NumberedStart; readonly pieces: string }[];
}

/** Reads the fields of an entry, as send-frames.lua writes them; `undefined` where it is another kind of entry. */
export function readNumberedEntry(fields: readonly string[]): NumberedEntry | undefined {
  const [kind, worker = '', sequence, pieces = ''] = fields;
  if (kind !== 'numbered') return undefined;
  const firsts: NumberedEntry['firsts'][number][] = [];
  for (let at = 4; at + 1 < fields.length; at += 2) {
    const [, number, said = ''] = /^([0-9]{1,15}) (.+)$/.exec(fields[at] ?? '') ?? [];
    const start = readNumberedStart(said);
    if (start !== undefined) firsts.push({ number: Number(number), start, pieces: fields[at + 1] ?? '' });
  }
  return { worker, sequence: Number(sequence), pieces, firsts };
}

/** Puts the places of numbered frames together again, as a gateway's inbox and tests need it. */
export interface NumberedReader {
  /**
   * Reads an entry.
   *
   * @param take called with each frame whose request and place are known
   * @returns the numbers in it that nothing is known of
   */
  read(entry: NumberedEntry, take: (frame: Frame) => void): ReadonlySet<number>;
  /** Notes what a number stands for, or that nothing is known of it. */
  learn(worker: string, number: number, start: NumberedStart | undefined): void;
  /** Forgets the numbers of requests of which `isWanted` says no. */
  forgetAllBut(isWanted: (requestId: string) => boolean): void;
  /** Numbers that are remembered. */
  readonly size: number;
}

/** Where the tracks of one numbered stream end, as far as that is known. */
interface KnownStream extends NumberedStart {
  text: number | undefined;
  reasoning: number | undefined;
}

interface KnownWorker {
  sequence: number;
  /** `undefined` for a number that nobody knows. */
  readonly streams: Map<number, KnownStream | undefined>;
}

/** Workers that are remembered: each is known again by its next entries. */
const MOST_WORKERS = 1_000;

/** Never throws, nor do its methods. */
export function createNumberedReader(): NumberedReader {
  const workers = new Map<string, KnownWorker>();

  function workerOf(name: string): KnownWorker {
    const known = workers.get(name);
    if (known) return known;
    const [oldest] = workers.size >= MOST_WORKERS ? workers.keys() : [];
    if (oldest !== undefined) workers.delete(oldest);
    const worker = { sequence: Number.NaN, streams: new Map() };
    workers.set(name, worker);
    return worker;
  }

  function readPieces({ streams }: KnownWorker, pieces: string, take: (frame: Frame) => void, unknown: Set<number>) {
    readNumbered(pieces, (number, track, offset, data) => {
      const stream = streams.get(number);
      if (stream === undefined) {
        if (!streams.has(number)) unknown.add(number);
        return;
      }
      const at = offset ?? (track === 'call' ? undefined : stream[track]);
      if (at === undefined) return;
      if (track !== 'call') stream[track] = at + data.length;
      take([stream.requestId, stream.start, track, at, data]);
    });
  }

  function learn(name: string, number: number, start: NumberedStart | undefined): void {
    workerOf(name).streams.set(number, start && { ...start, text: undefined, reasoning: undefined });
  }

  return {
    read({ worker: name, sequence, pieces, firsts }, take) {
      const worker = workerOf(name);
      const unknown = new Set<number>();
      // One is missing, or comes again: what goes on has no place until the next one in full.
      if (sequence !== worker.sequence + 1) {
        for (const stream of worker.streams.values())
          if (stream) [stream.text, stream.reasoning] = [undefined, undefined];
      }
      worker.sequence = sequence;
      readPieces(worker, pieces, take, unknown);
      for (const first of firsts) {
        learn(name, first.number, first.start);
        readPieces(worker, first.pieces, take, unknown);
      }
      return unknown;
    },
    learn,
    forgetAllBut(isWanted) {
      for (const { streams } of workers.values()) {
        for (const [number, stream] of streams) if (!stream || !isWanted(stream.requestId)) streams.delete(number);
      }
    },
    get size() {
      let size = 0;
      for (const { streams } of workers.values()) size += streams.size;
      return size;
    },
  };
}
