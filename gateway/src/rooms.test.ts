import { describe, expect, test } from '@jest/globals';
import { readRooms, unmappedRooms, wrongArrows } from '@lontar/shared/testing/rooms.ts';

const rooms = readRooms(import.meta.dirname);

/**
 * The gateway's rooms from the lowest to the highest, each with the rooms that it imports. A room imports none that
 * stands behind it in this list, not even a type.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  patches: [],
  envelope: [],
  caller: ['envelope'],
  admission: ['envelope', 'caller'],
  inbox: [],
  events: [],
  live: ['envelope'],
  generation: ['envelope', 'caller', 'admission', 'inbox', 'live'],
  openai: ['envelope', 'caller', 'admission', 'live', 'generation'],
  'own-key': ['envelope', 'admission', 'generation'],
  uploads: ['envelope', 'caller', 'admission'],
  statistics: ['envelope', 'admission'],
  reference: ['envelope', 'generation', 'openai', 'own-key', 'uploads', 'statistics'],
  server: [
    ...[
      'patches',
      'envelope',
      'caller',
      'admission',
      'events',
      'generation',
      'openai',
      'own-key',
      'uploads',
      'statistics',
    ],
    'reference',
  ],
};

/** Packages that one room alone knows. */
const OWNED: Readonly<Record<string, string>> = {
  express: 'server',
  helmet: 'patches',
  'http-proxy-middleware': 'statistics',
  '@fastify/busboy': 'uploads',
  '@aws-sdk/client-s3': 'uploads',
};

describe('rooms of the gateway', () => {
  test('are those of the list', () => {
    expect(rooms.names).toEqual(Object.keys(ROOMS).toSorted());
  });

  test('import what the list says, and none above them', () => {
    expect(wrongArrows(rooms, ROOMS)).toEqual([]);
  });

  test.each(Object.entries(OWNED))('%s is known in %s alone', (name, owner) => {
    expect(rooms.usersOf(name)).toEqual([owner]);
  });

  test('have no two files that need each other, not even for a type', () => {
    expect(rooms.circles()).toEqual([]);
  });

  test('are in the code map', () => {
    expect(unmappedRooms(rooms, 'gateway/src')).toEqual([]);
  });
});
