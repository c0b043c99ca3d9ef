import { type Finding, type Label, MARKERS, type MaskType } from './finding.ts';
import { CONFIGURED_HOST } from './rules/configured.ts';
import { LOGIN } from './rules/urls.ts';

/**
 * What one text is masked by, where that is less than everything. The service's own secrets and hosts are masked whatever
 * it says.
 */
export interface MaskPolicy {
  /** The types that are masked; all where absent. */
  readonly types?: readonly MaskType[];
  /** Values that stay as they are where exactly they would be masked; none is longer than LONGEST_VALUE. */
  readonly keep?: ReadonlySet<string>;
}

/** The longest value that may be kept, characters: a stream withholds as much until it knows where a value ends. */
export const LONGEST_VALUE = 4_096;

/** A policy as the machine asks it. */
export interface MachinePolicy {
  /** What of a finding is masked; `undefined` where nothing is, and the scan goes on inside it. */
  readonly masked: (finding: Found) => Found | undefined;
  /** The longest value that `keeps` is asked about, characters; 0 keeps none. */
  readonly longest: number;
  /** Whether a value that was found stays as it is. Called once for each, when its end is certain. */
  readonly keeps: (value: string) => boolean;
}

/** A finding and the rule it is reported as. */
export interface Found extends Finding {
  readonly rule: Label;
}

/** @returns `undefined` where everything is masked, which needs no policy */
export function compilePolicy({ types, keep }: MaskPolicy): MachinePolicy | undefined {
  const masked = types === undefined ? everything : maskedOf(new Set(types));
  let longest = 0;
  for (const value of keep ?? []) if (value.length <= LONGEST_VALUE) longest = Math.max(longest, value.length);
  if (masked === everything && longest === 0) return undefined;
  return { masked, longest, keeps: (value) => keep?.has(value) === true };
}

/** A policy that masks everything, and collects what it masks. */
export function collectingPolicy(collect: (value: string) => void): MachinePolicy {
  const keeps = (value: string) => {
    collect(value);
    return false;
  };
  return { masked: everything, longest: LONGEST_VALUE, keeps };
}

const everything = (finding: Found): Found => finding;

/** Parts of one finding may be of several types: a command line has an address and a password. */
function maskedOf(types: ReadonlySet<MaskType>): MachinePolicy['masked'] {
  if (types.size === Object.keys(MARKERS).length) return everything;
  const isMasked = ({ rule }: Found) =>
    rule.type === 'marker' ||
    types.has(rule.type) ||
    rule === CONFIGURED_HOST ||
    // A password in a URL is a secret, wherever the URL itself may be shown.
    (rule === LOGIN && types.has('key'));
  return (finding) => {
    if (finding.also === undefined) return isMasked(finding) ? finding : undefined;
    const { also, ...own } = finding;
    const parts: Found[] = [own];
    for (const other of also) parts.push({ rule: finding.rule, ...other });
    const [first, ...rest] = parts.filter(isMasked);
    return first && (rest.length > 0 ? { ...first, also: rest } : first);
  };
}
