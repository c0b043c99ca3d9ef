import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What the files of a package import, by the folders that they are in: its rooms. */
export interface Rooms {
  /** Every folder that has files. */
  readonly names: readonly string[];
  /** The other rooms that the files of one import, types included. */
  neighbours(room: string): readonly string[];
  /** The rooms whose files import a package. */
  usersOf(name: string): readonly string[];
  /** Files that need each other in a circle, not even for a type allowed; each circle as its path. */
  circles(): readonly string[];
}

/**
 * Reads a package's sources. Files beside the rooms stand above all of them and may be imported by none, tests beside
 * them and not looked at.
 *
 * @param source the folder of the rooms
 */
export function readRooms(source: string): Rooms {
  const imports = new Map(
    globSync('*/**/*.ts', { cwd: source })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => [file, importsOf(readFileSync(join(source, file), 'utf8'))]),
  );
  /** The package's own files that one imports. */
  const neighboursOf = (file: string): string[] =>
    (imports.get(file) ?? [])
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(source, join(source, dirname(file), specifier)));
  return {
    names: sortedOnce([...imports.keys()].map(roomOf)),
    neighbours(room) {
      const imported = [...imports.keys()].filter((file) => roomOf(file) === room).flatMap(neighboursOf);
      return sortedOnce(imported.map(roomOf)).filter((other) => other !== room);
    },
    usersOf: (name) =>
      sortedOnce([...imports].filter(([, names]) => names.includes(name)).map(([file]) => roomOf(file))),
    circles: () => circlesAmong([...imports.keys()], neighboursOf),
  };
}

/**
 * What is wrong with rooms that are listed from the lowest to the highest, each with those that it imports: nothing, where
 * they import what the list says and none that stands behind them in it.
 */
export function wrongArrows(rooms: Rooms, listed: Readonly<Record<string, readonly string[]>>): string[] {
  const order = Object.keys(listed);
  return Object.entries(listed).flatMap(([room, allowed]) => {
    const found = rooms.neighbours(room);
    const unlisted = found.filter((other) => !allowed.includes(other)).map((other) => `${room} imports ${other}`);
    const gone = allowed.filter((other) => !found.includes(other)).map((other) => `${room} no longer imports ${other}`);
    const above = allowed.filter((other) => order.indexOf(other) >= order.indexOf(room));
    return unlisted.concat(
      gone,
      above.map((other) => `${other} is above ${room}`),
    );
  });
}

/** Rooms that the code map of ARCHITECTURE.md does not name, by their path. */
export function unmappedRooms({ names }: Rooms, folder: string): string[] {
  const map = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
  return names.map((name) => `\`${folder}/${name}/\``).filter((path) => !map.includes(path));
}

function importsOf(text: string): string[] {
  return Array.from(text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g), ([, specifier = '']) => specifier);
}

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'beside the rooms';
}

function sortedOnce(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

function circlesAmong(files: readonly string[], neighboursOf: (file: string) => readonly string[]): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    for (const next of neighboursOf(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return circles;
}
