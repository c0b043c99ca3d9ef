import { expect, test } from '@jest/globals';
import { createCatalog, type ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { knowsModel } from './await-model.ts';

function sourceOf(source: 'file' | 'variables', ...names: string[]) {
  const listeners = new Set<(catalog: ModelCatalog) => void>();
  const catalogOf = (all: readonly string[]) => {
    const deadlines = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
    return createCatalog(
      source,
      [],
      all.map((name) => ({ name, aliases: [`${name}-alias`], routes: [], deadlines })),
    );
  };
  let current = catalogOf(names);
  return {
    listeners,
    get current() {
      return current;
    },
    onChange(listener: (catalog: ModelCatalog) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change(...next: string[]) {
      current = catalogOf(next);
      for (const listener of listeners) listener(current);
    },
  };
}
const never = () => new AbortController().signal;

test('what the catalog has is known at once, and without a file nothing else ever is', async () => {
  expect(knowsModel(sourceOf('file', 'a'), 'a', never())).toBe(true);
  expect(knowsModel(sourceOf('variables', 'a'), 'b', never())).toBe(false);
});

test('a job waits for the model that the next files bring, and leaves no listener', async () => {
  const source = sourceOf('file', 'a');
  const known = knowsModel(source, 'c', never());
  source.change('a', 'b');
  source.change('a', 'b', 'c');
  expect(await known).toBe(true);
  expect(source.listeners.size).toBe(0);
});

test('a model that does not come is unknown, and so it is for a job that is ended', async () => {
  const source = sourceOf('file', 'a');
  expect(await knowsModel(source, 'b', never(), 1)).toBe(false);
  const ending = new AbortController();
  const known = knowsModel(source, 'b', ending.signal);
  ending.abort('cancelled');
  expect(await known).toBe(false);
  expect(source.listeners.size).toBe(0);
});
