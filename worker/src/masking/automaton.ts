import type { Anchor } from './finding.ts';

/**
 * An Aho-Corasick automaton as one flat table: `table[state + class]` is the next state. States are multiplied by the
 * stride, and those that complete an anchor are numbered last, so that the scan needs one comparison a character.
 */
export interface Automaton {
  readonly classes: Uint8Array;
  readonly table: Int32Array;
  readonly stride: number;
  /** States from here on complete an anchor. */
  readonly firstMatch: number;
  /** Anchors completed by a state, longest first; indexed by (state - firstMatch) / stride. */
  readonly matches: readonly (readonly Anchor[])[];
  /** Length of the longest anchor beginning that ends in a state; indexed by state / stride. */
  readonly depths: Uint16Array;
}

interface TrieNode {
  readonly symbol: number;
  readonly depth: number;
  child: TrieNode | undefined;
  sibling: TrieNode | undefined;
  failure: TrieNode | undefined;
  /** Where the node's row begins in the table. */
  row: number;
  anchors: readonly Anchor[];
}

const NO_ANCHORS: readonly Anchor[] = [];

/** Compiles anchors into the table. Anchors are folded to lower case; all characters outside ASCII share one class. */
export function buildAutomaton(anchors: readonly Anchor[]): Automaton {
  const { classes, width } = characterClasses(anchors);
  const stride = 2 ** Math.ceil(Math.log2(width));
  const order = breadthFirst(buildTrie(anchors, classes));
  const depths = new Uint16Array(order.length);
  const matches: (readonly Anchor[])[] = [];
  let silent = 0;
  for (const node of order) if (node.anchors.length === 0) node.row = stride * silent++;
  for (const node of order) {
    if (node.anchors.length > 0) {
      node.row = stride * (silent + matches.length);
      matches.push(node.anchors);
    }
    depths[node.row / stride] = node.depth;
  }
  const table = new Int32Array(order.length * stride);
  for (const node of order) {
    // A row is the failure's row, which lies nearer the root and is complete, with the node's own children over it.
    if (node.failure !== undefined) table.copyWithin(node.row, node.failure.row, node.failure.row + stride);
    for (let { child } = node; child !== undefined; child = child.sibling) table[node.row + child.symbol] = child.row;
  }
  return { classes, table, stride, firstMatch: silent * stride, matches, depths };
}

function characterClasses(anchors: readonly Anchor[]): { classes: Uint8Array; width: number } {
  const classes = new Uint8Array(65_536);
  let width = 1;
  for (const { text } of anchors) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) {
        if (classes[128] === 0) classes.fill(width++, 128);
      } else if (classes[code] === 0) {
        classes[code] = width++;
      }
    }
  }
  for (let upper = 65; upper <= 90; upper++) classes[upper] = classes[upper + 32] ?? 0;
  return { classes, width };
}

function newNode(symbol: number, depth: number, sibling: TrieNode | undefined): TrieNode {
  return { symbol, depth, child: undefined, sibling, failure: undefined, row: 0, anchors: NO_ANCHORS };
}

function childOf(node: TrieNode, symbol: number): TrieNode | undefined {
  let { child } = node;
  while (child !== undefined && child.symbol !== symbol) child = child.sibling;
  return child;
}

function buildTrie(anchors: readonly Anchor[], classes: Uint8Array): TrieNode {
  const root = newNode(0, 0, undefined);
  for (const anchor of anchors) {
    let node = root;
    for (let index = 0; index < anchor.text.length; index++) {
      const symbol = classes[anchor.text.charCodeAt(index)] ?? 0;
      node = childOf(node, symbol) ?? (node.child = newNode(symbol, index + 1, node.child));
    }
    node.anchors = [...node.anchors, anchor];
  }
  return root;
}

/** Links every node to its longest proper suffix and inherits that suffix's anchors; nodes nearest the root first. */
function breadthFirst(root: TrieNode): TrieNode[] {
  const order = [root];
  for (const node of order) {
    for (let { child } = node; child !== undefined; child = child.sibling) {
      let suffix = node.failure;
      let inherited: TrieNode | undefined;
      while (suffix !== undefined && inherited === undefined) {
        inherited = childOf(suffix, child.symbol);
        suffix = suffix.failure;
      }
      child.failure = inherited ?? root;
      if (child.failure.anchors.length > 0) child.anchors = [...child.anchors, ...child.failure.anchors];
      order.push(child);
    }
  }
  return order;
}
