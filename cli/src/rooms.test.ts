import { describe, expect, test } from '@jest/globals';
import { readRooms, unmappedRooms, wrongArrows } from '@lontar/shared/testing/rooms.ts';

/**
 * The rooms of the commands from the lowest to the highest, each with the rooms that it imports. A room imports none that
 * stands behind it in this list, not even a type.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  failure: [],
  files: [],
  tether: [],
  home: ['failure', 'files'],
  settings: ['home'],
  system: ['settings'],
  'system-service': ['files', 'settings', 'system'],
  locate: ['failure', 'home', 'settings'],
  processes: ['failure', 'files', 'home', 'settings'],
  redis: ['failure', 'files', 'home', 'settings', 'system', 'processes'],
  sessions: [],
  page: [],
  backup: ['files', 'redis'],
  models: ['failure', 'files', 'settings'],
  doctor: ['home', 'settings', 'locate', 'redis', 'models'],
  // Commands.
  start: [
    ...['failure', 'files', 'home', 'settings', 'system', 'system-service', 'processes'],
    ...['redis', 'sessions', 'page', 'models'],
  ],
  lontar: [
    ...['failure', 'home', 'settings', 'system', 'system-service', 'locate', 'processes', 'redis'],
    ...['sessions', 'page', 'backup', 'doctor', 'models'],
  ],
  secrets: ['files'],
  'npm-package': ['page'],
  docs: ['settings'],
  lockfile: [],
  patterns: [],
  'test-run': ['system', 'page'],
  durations: ['test-run'],
};

const rooms = readRooms(import.meta.dirname);

describe('rooms of the commands', () => {
  test('are those of the list', () => {
    expect(rooms.names).toEqual(Object.keys(ROOMS).toSorted());
  });

  test('import what the list says, and none above them', () => {
    expect(wrongArrows(rooms, ROOMS)).toEqual([]);
  });

  test('have no two files that need each other, not even for a type', () => {
    expect(rooms.circles()).toEqual([]);
  });

  test('are in the code map', () => {
    expect(unmappedRooms(rooms, 'cli/src')).toEqual([]);
  });
});
