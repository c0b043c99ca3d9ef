import { AnchorIndex } from './anchor-index.ts';
import type { Anchor } from './finding.ts';
import { type HostLists, hostJudge, type JudgeHost } from './host-judge.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { configuredHostAnchors, knownValueAnchors } from './rules/configured.ts';
import { MARKER_ANCHORS } from './rules/own-markers.ts';
import type { Rule } from './rules/rule.ts';

export interface MaskOptions {
  /** The service's own secrets, hosts and addresses: masked wherever they appear, in any encoding. */
  readonly knownValues?: readonly string[];
  /** Hosts whose URLs are always masked, subdomains included. */
  readonly maskHosts?: readonly string[];
  /** Hosts whose URLs are never masked, subdomains included. */
  readonly allowHosts?: readonly string[];
}

/** What the machine needs of the rules and the operator's settings. */
export interface CompiledRules {
  readonly index: AnchorIndex;
  readonly judgeHost: JudgeHost;
}

/** Compiles every rule together with what is configured; takes some milliseconds. */
export function compileRules({ knownValues = [], maskHosts = [], allowHosts = [] }: MaskOptions = {}): CompiledRules {
  const hosts: HostLists = { mask: hostsOf(maskHosts), allow: hostsOf(allowHosts) };
  const index = new AnchorIndex([
    ...knownValueAnchors(knownValues),
    ...MARKER_ANCHORS,
    ...configuredHostAnchors(hosts.mask),
    ...anchorsOf(ALL_RULES),
  ]);
  return { index, judgeHost: hostJudge(hosts) };
}

/** The anchors of rules. Rules that share a verifier and an anchor are asked once, under the name of the first. */
export function anchorsOf(rules: readonly Rule[]): Anchor[] {
  const asked = new Map<Rule['verify'], Set<string>>();
  return rules.flatMap((rule) => {
    const { anchors, tableAnchors = [], verify } = rule;
    const known = asked.get(verify) ?? new Set();
    asked.set(verify, known);
    const fresh = (text: string) => !known.has(text) && known.add(text).has(text);
    return [
      ...anchors.filter(fresh).map((text) => ({ text, verify, rule })),
      ...tableAnchors.filter(fresh).map((text) => ({ text, verify, rule, insideTable: true })),
    ];
  });
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
