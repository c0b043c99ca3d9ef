/**
 * Lists vendors that public rule sets know and ours does not: those of secretlint's preset, which is installed, and those
 * of rule sets given as files (gitleaks' and its kin's TOML, detectors in YAML or JSON). Nothing is downloaded. A name is a
 * place to look: at the vendor's own page, which a record of ours names as its source.
 *   npm run masking-vendors -- gitleaks.toml other-rules.yaml
 */
import { readFileSync } from 'node:fs';
import { VENDOR_WORDS } from '../../../worker/src/masking/lexicon/secret-names.ts';
import { ALL_RULES } from '../../../worker/src/masking/rules/all-rules.ts';

const PRESET = new URL(
  '../../../node_modules/@secretlint/secretlint-rule-preset-recommend/package.json',
  import.meta.url,
);
/** What names of rules say besides the vendor. */
const OTHER_WORDS = new Set(
  `api key keys token tokens secret secrets access id ids client app application auth oauth oauth2 personal service account
  pat password credentials credential rule secretlint preset recommend user admin public private webhook url uri refresh
  session bot live test sandbox legacy new old v1 v2 v3 v4 generic hex base64 jwt cli web sdk dev prod org organization
  project team deploy deployment pipeline runner trigger feed scim incoming connection string database db server and or with
  short long term encryption signing scoped global tokens2 cookie header basic bearer curl no pattern filter comments pem`.split(
    /\s+/,
  ),
);

/** The vendors that rules of a set are named after, each with one of the names. */
function vendorsOf(names: Iterable<string>): Map<string, string> {
  const vendors = new Map<string, string>();
  for (const name of names) {
    const vendor = name
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .find((word) => word.length > 1 && !OTHER_WORDS.has(word));
    if (vendor !== undefined && !vendors.has(vendor)) vendors.set(vendor, name);
  }
  return vendors;
}

/** The names of rules in a set: what stands as `id`, `name` or `keywords` of one. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/^[ \t-]*["']?(?:id|rule_?id|name)["']?\s*[:=]\s*["']?([\w. -]{2,80})/gim)].map(
    ([, name = '']) => name,
  );
}

function presetNames(): string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(PRESET, 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name.includes('secretlint-rule-'));
}

const files = process.argv.slice(2);
const known = [...ALL_RULES.flatMap(({ name, prefix = '', source }) => [name, prefix, source]), ...VENDOR_WORDS]
  .join(' ')
  .toLowerCase()
  .replace(/[^a-z0-9 ]/g, '');
const sets: [string, string[]][] = [
  ["secretlint's preset", presetNames().map((name) => name.replace(/^.*secretlint-rule-/, ''))],
  ...files.map((file): [string, string[]] => [file, namesIn(readFileSync(file, 'utf8'))]),
];
const missing = new Map<string, string[]>();
for (const [set, names] of sets) {
  const vendors = vendorsOf(names);
  const unknown = [...vendors].filter(([vendor]) => !known.includes(vendor));
  console.log(`${set}: ${names.length} rules of ${vendors.size} vendors, ${unknown.length} unknown to us`);
  for (const [vendor, name] of unknown) missing.set(vendor, [...(missing.get(vendor) ?? []), `${name} (${set})`]);
}
for (const [vendor, where] of [...missing].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`  ${vendor}${where.length > 1 ? ', in two or more' : ''}: ${where.join(', ')}`);
