import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Namespace, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';

/** Kubernetes' own schemas of what the manifests hold; no cluster is needed to hold them against these. */
const SCHEMAS = { Deployment, StatefulSet, NetworkPolicy, PodDisruptionBudget, Namespace, Service, ScaledObject };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet?: { port: string }; readonly tcpSocket?: { port: string } };
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: keyof typeof SCHEMAS;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}
interface Pod {
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly items: readonly { key: string; path: string }[] };
  }[];
  readonly terminationGracePeriodSeconds: number;
}
interface Selector {
  readonly matchLabels?: Record<string, string>;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
}
interface Policy {
  readonly podSelector: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly { readonly from?: readonly object[]; readonly ports?: readonly { port: number }[] }[];
  readonly egress?: readonly { readonly to: readonly Peer[]; readonly ports: readonly { port: number }[] }[];
}

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const files = globSync('deploy/kubernetes/*.yaml', { cwd: root }).filter((file) => !file.includes('kustomization'));
const manifests = files.flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest));
const of = (...kinds: Manifest['kind'][]) => manifests.filter(({ kind }) => kinds.includes(kind));
const podOf = ({ spec }: Manifest) => (spec as { template: { spec: Pod } }).template.spec;
const labelsOf = ({ spec }: Manifest) =>
  (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata.labels;
const workloads = of('Deployment', 'StatefulSet');
const named = (list: readonly Manifest[]) => list.map((manifest) => [manifest.metadata.name, manifest] as const);

describe('the Kubernetes manifests', () => {
  test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is as its schema says',
    (_name, manifest) => {
      const schema = SCHEMAS[manifest.kind];
      expect(manifest.apiVersion).toBe(schema.apiVersion);
      expect(() => new schema(manifest as never).validate()).not.toThrow();
    },
  );

  test('are all named by the kustomization, but for what needs KEDA', () => {
    const { resources } = parse(read('deploy/kubernetes/kustomization.yaml')) as { resources: string[] };
    const all = files.map((file) => file.replace('deploy/kubernetes/', ''));
    expect(all.filter((file) => !resources.includes(file))).toEqual(['worker-scaling.yaml']);
    expect(resources.filter((file) => !all.includes(file))).toEqual([]);
  });

  test.each(named(workloads))('%s selects its own pods, and its probes ask ports that it has', (_name, workload) => {
    const { selector } = workload.spec as { selector: { matchLabels: Record<string, string> } };
    expect(labelsOf(workload)).toMatchObject(selector.matchLabels);
    for (const container of podOf(workload).containers) {
      const ports = (container.ports ?? []).map(({ name }) => name);
      const asked = (['startupProbe', 'readinessProbe', 'livenessProbe'] as const)
        .map((name) => container[name])
        .map((probe) => probe?.httpGet?.port ?? probe?.tcpSocket?.port)
        .filter((port) => port !== undefined);
      for (const port of asked) expect(ports).toContain(port);
    }
  });

  test.each(named(of('Service')))('the service %s leads to a port of pods that there are', (_name, { spec }) => {
    const { selector, ports } = spec as {
      selector: Record<string, string>;
      ports: readonly { port: number; targetPort?: number | string }[];
    };
    const target = workloads.find((workload) => matches(labelsOf(workload), selector));
    const open = podOf(target!).containers.flatMap((container) => container.ports ?? []);
    for (const { port, targetPort = port } of ports) {
      expect(open.flatMap(({ name, containerPort }) => [name, containerPort])).toContain(targetPort);
    }
  });

  test.each(named(workloads))(
    '%s has every file that its settings name, from a secret that the guide makes',
    (_name, workload) => {
      const { containers, volumes = [] } = podOf(workload);
      const made = [...read('docs/operating.md').matchAll(/--from-(?:literal|file)=([\w.-]+)=/g)].map(([, key]) => key);
      const items = volumes.flatMap(({ name, secret }) =>
        (secret?.items ?? []).map(({ key, path }) => ({ key, path, name })),
      );
      for (const { key } of items) expect(made).toContain(key);
      for (const { env = [], volumeMounts = [] } of containers) {
        const paths = items.flatMap(({ name, path }) =>
          volumeMounts.filter((mount) => mount.name === name).map(({ mountPath }) => `${mountPath}/${path}`),
        );
        for (const { value } of env.filter(({ name }) => name.endsWith('_FILE'))) expect(paths).toContain(value);
        for (const { name } of volumeMounts) expect(volumeNames(workload)).toContain(name);
      }
    },
  );

  test('gateways believe no address of callers until named, and only the ingress controller reaches them', () => {
    const gateway = workloads.find(({ metadata }) => metadata.name === 'gateway');
    const trusted = podOf(gateway!).containers[0]?.env?.find(({ name }) => name === 'TRUST_PROXY');
    expect(trusted?.value).toBe('');
    const rules = of('NetworkPolicy')
      .map(({ spec }) => spec as Policy)
      .filter(({ podSelector }) => selects(podSelector, labelsOf(gateway!)))
      .flatMap(({ ingress = [] }) => ingress)
      // A rule without ports is for all of them.
      .filter(({ ports }) => ports?.some(({ port }) => port === 8080) ?? true);
    const [controller] = /(?<=kubectl -n )[\w-]+(?= get pods)/.exec(read('docs/operating.md')) ?? [];
    const labels = { 'kubernetes.io/metadata.name': controller };
    expect(rules.map(({ from }) => from)).toEqual([[{ namespaceSelector: { matchLabels: labels } }]]);
  });

  describe('the way out', () => {
    const policies = of('NetworkPolicy').map(({ spec }) => spec as Policy);
    const dns = [{ to: 'kube-dns of kube-system', ports: [53, 53] }];
    const redis = [{ to: 'redis', ports: [6379] }];
    const internet = [{ to: '0.0.0.0/0 and ::/0', ports: [443] }];

    test('is closed to all, in both directions, but as said', () => {
      const all = policies.find(({ podSelector }) => Object.keys(podSelector).length === 0);
      expect(all).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
      expect(all).not.toHaveProperty('egress');
      expect(all).not.toHaveProperty('ingress');
      // Without its type written out, a policy of egress alone would close the way in of its pods.
      const opening = policies.filter(({ egress }) => egress !== undefined);
      expect(opening.map(({ policyTypes }) => policyTypes)).toEqual(opening.map(() => ['Egress']));
    });

    test.each([
      ['gateway', [...dns, ...redis, { to: 'stats-service', ports: [8090] }, ...internet]],
      ['worker', [...dns, ...redis, ...internet]],
      ['stats-service', [...dns, ...redis, { to: 'gateway, worker, stats-service', ports: [9464] }]],
      ['redis', []],
    ])('of %s leads where it must, and nowhere else', (name, ways) => {
      const workload = workloads.find(({ metadata }) => metadata.name === name);
      const open = policies
        .filter(({ podSelector }) => selects(podSelector, labelsOf(workload!)))
        .flatMap(({ egress = [] }) => egress)
        .map(({ to, ports }) => ({ to: to.map(nameOf).join(' and '), ports: ports.map(({ port }) => port) }));
      expect(open).toEqual(ways);
    });

    test("out of the cluster leads to no private network, least of all to the cloud's metadata", () => {
      const blocks = policies.flatMap(({ egress = [] }) =>
        egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])),
      );
      expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
      const [four, six] = blocks.map(({ except }) => except);
      expect(four).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']));
      expect(six).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
    });

    test('leads to ports at which a client is let in', () => {
      for (const { podSelector, egress = [] } of policies) {
        const from = workloads.filter((workload) => selects(podSelector, labelsOf(workload)));
        for (const { to, ports } of egress) {
          const pods = to.flatMap((peer) => (peer.namespaceSelector || !peer.podSelector ? [] : [peer.podSelector]));
          for (const workload of workloads.filter((one) => pods.some((pod) => selects(pod, labelsOf(one))))) {
            for (const { port } of ports)
              expect({ from: from.length > 0, isIn: isLetIn(workload, port) }).toEqual({ from: true, isIn: true });
          }
        }
      }
    });

    function isLetIn(workload: Manifest, port: number): boolean {
      return policies
        .filter(({ podSelector }) => selects(podSelector, labelsOf(workload)))
        .some(({ ingress = [] }) => ingress.some(({ ports = [] }) => ports.some((open) => open.port === port)));
    }
  });

  test.each(named(of('Deployment')))('%s may take as long to stop as it drains', (_name, workload) => {
    const drainMs = 25_000;
    expect(podOf(workload).terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainMs);
  });

  test('workers are scaled by a metric that there is, of a deployment that there is', () => {
    const [scaled] = of('ScaledObject');
    const { scaleTargetRef, triggers } = scaled!.spec as {
      scaleTargetRef: { name: string };
      triggers: readonly { metadata: { query: string; threshold: string } }[];
    };
    expect(of('Deployment').map(({ metadata }) => metadata.name)).toContain(scaleTargetRef.name);
    const registry = createRegistry('stats-service', '0');
    statsMetrics(registry);
    const metrics = registry.getMetricsAsArray().map(({ name }) => name);
    const { query = '', threshold } = triggers[0]?.metadata ?? {};
    expect(metrics).toContain(/\((\w+)\{/.exec(query)?.[1]);
    const worker = workloads.find(({ metadata }) => metadata.name === scaleTargetRef.name);
    const concurrency = podOf(worker!).containers[0]?.env?.find(({ name }) => name === 'WORKER_CONCURRENCY')?.value;
    expect(Number(threshold)).toBe(0.7 * Number(concurrency));
  });
});

/** Volumes of the pod, and those that a stateful set claims. */
function volumeNames(workload: Manifest): string[] {
  const { volumeClaimTemplates = [] } = workload.spec as {
    volumeClaimTemplates?: readonly { metadata: { name: string } }[];
  };
  return [...(podOf(workload).volumes ?? []), ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(
    ({ name }) => name,
  );
}

/** Whether a selector means pods with these labels; an empty one means all. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  return (
    matches(labels, matchLabels) && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

/** Where a rule leads, in words. */
function nameOf({ podSelector, namespaceSelector, ipBlock }: Peer): string {
  if (ipBlock) return ipBlock.cidr;
  const words = ({ matchLabels = {}, matchExpressions = [] }: Selector = {}) =>
    [...Object.values(matchLabels), ...matchExpressions.flatMap(({ values }) => values)].join(', ');
  return namespaceSelector ? `${words(podSelector)} of ${words(namespaceSelector)}` : words(podSelector);
}

function matches(labels: Record<string, string>, selector: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
