import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';

const SCHEMAS = { ConfigMap, Deployment, NetworkPolicy, PodDisruptionBudget, Service, StatefulSet };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: keyof typeof SCHEMAS;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
}

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const FOLDER = 'deploy/kubernetes-ha/';
const kustomization = parse(read(`${FOLDER}kustomization.yaml`)) as {
  resources: string[];
  patches: { patch: string }[];
};
const ofFile = (file: string) => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest);
const manifests = globSync(`${FOLDER}*.yaml`, { cwd: root })
  .filter((file) => !file.includes('kustomization'))
  .flatMap(ofFile);
const base = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap(ofFile);
const redis = manifests.find(({ kind }) => kind === 'StatefulSet');
const spec = redis?.spec as {
  replicas: number;
  podManagementPolicy: string;
  serviceName: string;
  template: {
    spec: { containers: Container[]; volumes: { name: string; secret?: { items: { key: string; path: string }[] } }[] };
  };
};

test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s is as its schema says, and is named by the kustomization',
  (_name, manifest) => {
    const schema = SCHEMAS[manifest.kind];
    expect(manifest.apiVersion).toBe(schema.apiVersion);
    expect(() => new schema(manifest as never).validate()).not.toThrow();
  },
);

test('the kustomization takes all of deploy/kubernetes, but for its one Redis, and has gateways wait for replicas', () => {
  const files = globSync(`${FOLDER}*.yaml`, { cwd: root }).map((file) => file.slice(FOLDER.length));
  expect(kustomization.resources.toSorted()).toEqual(
    ['../kubernetes', ...files.filter((file) => file !== 'kustomization.yaml')].toSorted(),
  );
  const patches = kustomization.patches.map(({ patch }) => parse(patch) as Manifest & { $patch?: string });
  for (const { kind, metadata } of patches) {
    expect(base.some((one) => one.kind === kind && one.metadata.name === metadata.name)).toBe(true);
  }
  const removed = patches
    .filter((patch) => patch.$patch === 'delete')
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(removed).toEqual(['StatefulSet redis', 'Service redis']);
  expect(JSON.stringify(patches.at(-1)?.spec)).toContain('{"name":"REDIS_REPLICAS_ACK","value":"1"}');
});

test('three Redis with a Sentinel each start at once, know each other by name, and each has files of its own', () => {
  expect(spec).toMatchObject({ replicas: 3, podManagementPolicy: 'Parallel', serviceName: 'redis-ha' });
  const { containers } = spec.template.spec;
  expect(containers.map(({ name }) => name)).toEqual(['redis', 'sentinel']);
  const nodes = [0, 1, 2].map((number) => `redis-ha-${number}.redis-ha`);
  for (const { env } of containers) {
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ SELF: '$(POD_NAME).redis-ha', SENTINELS: nodes.join(' '), FIRST: nodes[0] });
  }
  const folders = containers.map(
    ({ volumeMounts }) => volumeMounts.find(({ mountPath }) => mountPath === '/data')?.subPath,
  );
  expect(folders).toEqual(['redis', 'sentinel']);
  const ofBase = base.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'redis');
  const image = (ofBase as { spec: typeof spec } | undefined)?.spec.template.spec.containers[0]?.image;
  expect(new Set(containers.map((one) => one.image))).toEqual(new Set([image]));
});

test('its secrets are those that the guide makes, and its scripts find them', () => {
  const made = [...read('docs/operating.md').matchAll(/--from-(?:literal|file)=([\w.-]+)=/g)].map(([, key]) => key);
  const items = spec.template.spec.volumes.flatMap(({ secret }) => secret?.items ?? []);
  for (const { key } of items) expect(made).toContain(key);
  const wanted = ['redis-node.sh', 'redis-sentinel.sh'].flatMap((script) =>
    [...read(`cli/src/secrets/${script}`).matchAll(/\$secrets\/([\w.]+)/g)].map(([, name]) => name),
  );
  const paths = items.map(({ path }) => path);
  for (const name of [...wanted, 'auth.conf']) expect(paths).toContain(name);
});
