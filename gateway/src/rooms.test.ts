import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const SOURCE = import.meta.dirname;

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
  generation: ['envelope', 'caller', 'admission', 'inbox'],
  uploads: ['envelope', 'caller', 'admission'],
  statistics: ['envelope', 'admission'],
  reference: ['generation', 'uploads', 'statistics'],
  server: ['patches', 'envelope', 'caller', 'admission', 'events', 'generation', 'uploads', 'statistics', 'reference'],
};

/** Packages that one room alone knows. */
const OWNED: Readonly<Record<string, string>> = {
  express: 'server',
  helmet: 'patches',
  'http-proxy-middleware': 'statistics',
  '@fastify/busboy': 'uploads',
  '@aws-sdk/client-s3': 'uploads',
};

/** What each file imports, by path from here; files that start the gateway stand above all rooms, tests beside them. */
const files = new Map(
  globSync('*/**/*.ts', { cwd: SOURCE })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => [file, importsOf(readFileSync(join(SOURCE, file), 'utf8'))]),
);

function importsOf(text: string): string[] {
  return Array.from(text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g), ([, specifier = '']) => specifier);
}

const roomOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : 'the start');

/** The gateway's own files that one imports. */
function neighbours(file: string): string[] {
  return (files.get(file) ?? [])
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(SOURCE, join(SOURCE, dirname(file), specifier)));
}

/** The rooms that the files of one import, itself excepted. */
function neighboursOfRoom(room: string): string[] {
  const imported = [...files.keys()].filter((file) => roomOf(file) === room).flatMap(neighbours);
  return [...new Set(imported.map(roomOf))].filter((other) => other !== room).toSorted();
}

describe('rooms of the gateway', () => {
  test('are those of the list', () => {
    expect([...new Set([...files.keys()].map(roomOf))].toSorted()).toEqual(Object.keys(ROOMS).toSorted());
  });

  test.each(Object.entries(ROOMS))('%s imports what the list says, and nothing above it', (room, allowed) => {
    const order = Object.keys(ROOMS);
    expect(neighboursOfRoom(room)).toEqual([...allowed].toSorted());
    expect(allowed.filter((other) => order.indexOf(other) >= order.indexOf(room))).toEqual([]);
  });

  test.each(Object.entries(OWNED))('%s is known in %s alone', (name, owner) => {
    const users = [...files].filter(([, imports]) => imports.includes(name)).map(([file]) => roomOf(file));
    expect([...new Set(users)]).toEqual([owner]);
  });
});

test('no two files need each other, not even for a type', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    for (const next of neighbours(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  expect(circles).toEqual([]);
});
