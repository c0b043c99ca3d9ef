import { AnchorIndex } from './anchor-index.ts';
import { isIn, LETTER } from './characters.ts';
import type { Anchor, Verify } from './finding.ts';
import { type HostLists, hostJudge, type JudgeHost } from './host-judge.ts';
import { type FindOpening, openingFinder } from './opening-word.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { configuredHostAnchors, knownValueAnchors } from './rules/configured.ts';
import { MARKER_ANCHORS } from './rules/own-markers.ts';
import { type OwnShape, ownShapeRules } from './rules/own-shapes.ts';
import type { Rule } from './rules/rule.ts';

export interface MaskOptions {
  /** The service's own secrets, hosts and addresses: masked wherever they appear, in any encoding. */
  readonly knownValues?: readonly string[];
  /** Hosts whose URLs are always masked, subdomains included. */
  readonly maskHosts?: readonly string[];
  /** Hosts whose URLs are never masked, subdomains included. */
  readonly allowHosts?: readonly string[];
  /** Shapes of the operator's own tokens. */
  readonly shapes?: readonly OwnShape[];
  /** Values that stay as they are where exactly they would be masked. */
  readonly keep?: readonly string[];
}

/** What the machine needs of the rules and the operator's settings. */
export interface CompiledRules {
  readonly index: AnchorIndex;
  readonly judgeHost: JudgeHost;
  readonly findOpening: FindOpening;
}

/** Compiles every rule together with what is configured; takes some milliseconds. */
export function compileRules({
  knownValues = [],
  maskHosts = [],
  allowHosts = [],
  shapes = [],
}: MaskOptions = {}): CompiledRules {
  const hosts: HostLists = { mask: hostsOf(maskHosts), allow: hostsOf(allowHosts) };
  const known = knownValueAnchors(knownValues);
  const configuredHosts = configuredHostAnchors(hosts.mask);
  const own = ownShapeRules(shapes);
  const index = new AnchorIndex([
    ...known,
    ...MARKER_ANCHORS,
    ...configuredHosts,
    ...anchorsOf([...own, ...ALL_RULES]),
  ]);
  const beginnings = [...known, ...configuredHosts, ...anchorsOf(own)].map(({ text }) => text);
  return { index, judgeHost: hostJudge(hosts), findOpening: openingFinder(beginnings) };
}

/** The anchors of rules. Of rules that share a verifier and an anchor the first gives its name, and the verifier is called once. */
export function anchorsOf(rules: readonly Rule[]): Anchor[] {
  const called = new Map<Rule['verify'], Set<string>>();
  return rules.flatMap((rule) => {
    const { anchors, tableAnchors = [], nearAnchors = [] } = rule;
    const known = called.get(rule.verify) ?? new Set();
    called.set(rule.verify, known);
    const verify = namedByLongestPrefix(rule, rules);
    const fresh = (text: string) => !known.has(text) && known.add(text).has(text);
    const beginsWord = (text: string) => rule.beginsWord === true && isIn(text.charCodeAt(0), LETTER);
    const anchorsIn = (texts: readonly string[], insideTable: boolean, nearName: boolean) =>
      texts.filter(fresh).map((text) => ({ text, verify, rule, insideTable, nearName, beginsWord: beginsWord(text) }));
    return [
      ...anchorsIn(anchors, false, false),
      ...anchorsIn(tableAnchors, true, false),
      ...anchorsIn(nearAnchors, false, true),
    ];
  });
}

/**
 * The verifier of a rule, which names a token after the rule with the longest prefix: the anchor `sk-` ends before `sk-ant-`
 * and masks the token as well, but an Anthropic key is what it is. What is masked stays what the rule itself has found.
 */
function namedByLongestPrefix({ prefix, verify }: Rule, rules: readonly Rule[]): Verify {
  if (prefix === undefined) return verify;
  const longer = rules
    .flatMap((rule) =>
      rule.prefix?.startsWith(prefix) && rule.prefix !== prefix ? [{ rule, prefix: rule.prefix }] : [],
    )
    .sort((a, b) => b.prefix.length - a.prefix.length);
  if (longer.length === 0) return verify;
  return (window, start, end, anchor) => {
    const finding = verify(window, start, end, anchor);
    if (finding === undefined) return undefined;
    const named = longer.find(
      ({ rule, prefix: beginning }) =>
        window.text.startsWith(beginning, start) &&
        rule.verify(window, start, start + beginning.length, beginning.toLowerCase()) !== undefined,
    );
    return named === undefined ? finding : { ...finding, rule: named.rule };
  };
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
