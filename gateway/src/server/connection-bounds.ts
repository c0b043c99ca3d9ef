import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { limitAddress } from '@lontar/shared/address.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { TooMuch } from './body-budget.ts';
import { createRefusals } from './refused-connections.ts';
import { refuseTooMuch } from './too-much.ts';

/** What an open connection with a request in work takes, bytes, with much to spare. */
const BYTES_OF_CONNECTION = 64 * 1024;
const MOST_CONNECTIONS = 65_536;
const LEAST_CONNECTIONS = 256;
export interface ConnectionBounds {
  readonly perAddress: number;
  readonly inAll: number;
}

export interface ConnectionDoor {
  /**
   * Counts a connection that has come. One too many is not read, answered, and closed.
   *
   * @returns whether it may be served
   */
  enter(socket: Socket): boolean;
}

/** What metrics get. */
export interface DoorWatch {
  opened(): void;
  closed(): void;
  refused(whose: TooMuch): void;
}

/**
 * Counts open connections, by address and in all. Proxies are trusted to bring many callers over theirs; of those,
 * requests are counted instead, see `createRequestDoor`.
 *
 * @param isProxy whether a socket's address is a proxy's whose word on its callers is taken
 */
export function createConnectionDoor(
  bounds: ConnectionBounds,
  isProxy: (address: string) => boolean,
  watch: DoorWatch,
  clock: RedisClock,
): ConnectionDoor {
  const byAddress = new Map<string, number>();
  const refusals = createRefusals();
  let open = 0;

  function refuse(socket: Socket, of: TooMuch): false {
    watch.refused(of);
    refusals.hold(socket, refuseTooMuch(of, 'connections', bounds.perAddress, clock.now()));
    return false;
  }

  return {
    enter(socket) {
      const remote = socket.remoteAddress ?? '';
      const address = isProxy(remote) ? undefined : limitAddress(remote);
      const ofAddress = address === undefined ? 0 : (byAddress.get(address) ?? 0);
      if (ofAddress >= bounds.perAddress) return refuse(socket, 'address');
      if (open >= bounds.inAll) return refuse(socket, 'all');
      open++;
      watch.opened();
      if (address !== undefined) byAddress.set(address, ofAddress + 1);
      socket.on('close', () => {
        open--;
        watch.closed();
        if (address !== undefined) leave(byAddress, address);
      });
      return true;
    },
  };
}

/** Counts requests under way by the address that a proxy names. */
export interface RequestDoor {
  /** @returns what to call at the request's end, or `undefined` where the address has too many */
  enter(address: string): (() => void) | undefined;
}

export function createRequestDoor(perAddress: number): RequestDoor {
  const byAddress = new Map<string, number>();
  return {
    enter(address) {
      const count = byAddress.get(address) ?? 0;
      if (count >= perAddress) return undefined;
      byAddress.set(address, count + 1);
      return () => leave(byAddress, address);
    },
  };
}

function leave(byAddress: Map<string, number>, address: string): void {
  const left = (byAddress.get(address) ?? 1) - 1;
  if (left > 0) byAddress.set(address, left);
  else byAddress.delete(address);
}

/**
 * How many connections this process can hold: by its heap, and by half of the files that it may open, where the system
 * says how many that are. The others are for uploads and downloads.
 */
export function mostConnections(
  heapBytes: number = getHeapStatistics().heap_size_limit,
  files: number = openFilesLimit(),
): number {
  const most = Math.floor(Math.min(MOST_CONNECTIONS, heapBytes / BYTES_OF_CONNECTION, files / 2));
  return Math.max(LEAST_CONNECTIONS, most);
}

function openFilesLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}
