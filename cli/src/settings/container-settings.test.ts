import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { settingNotes, settingsOf } from '@lontar/shared/config/read-config.ts';
import { parse, parseAllDocuments } from 'yaml';
import { SERVICE_SETTINGS, type ServiceName } from './services.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** What the image sets, or what inside a container is always the same. */
const SET_BY_IMAGE = new Set([
  'HOST',
  'PORT',
  'STATS_HOST',
  'STATS_PORT',
  'METRICS_HOST',
  'METRICS_PORT',
  'METRICS_ADVERTISE',
  'LONTAR_HOME',
  'UPLOAD_DIR',
  'LOG_FILE',
]);

/** Read by the operator's command, which runs in the gateway's container. */
const OF_THE_COMMAND = new Set(['LONTAR_COMMAND']);

const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, { environment: Record<string, string> }>;
};

describe.each(Object.keys(SERVICE_SETTINGS) as ServiceName[])('docker-compose.yml hands %s', (service) => {
  const environment = services[service]?.environment ?? {};
  const settings = settingsOf(SERVICE_SETTINGS[service]).filter(([name]) => !SET_BY_IMAGE.has(name));

  test('every setting that is not secret, and every secret as a file', () => {
    const names = settings.map(([name, setting]) => (settingNotes(setting).secret ? `${name}_FILE` : name));
    const given = Object.keys(environment).filter((name) => !OF_THE_COMMAND.has(name));
    expect(given.toSorted()).toEqual(names.toSorted());
  });

  test('what the operator sets under the same name, empty where not set', () => {
    for (const [name, setting] of settings) {
      if (settingNotes(setting).secret) expect(environment[`${name}_FILE`]).toBe(`/run/secrets/${name.toLowerCase()}`);
      else if (name !== 'STATS_URL') expect(environment[name]).toBe(`\${${name}:-}`);
    }
  });
});

describe('the Kubernetes manifests', () => {
  const documents = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((file) =>
    parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest),
  );
  const workloads = documents.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

  test('name every service and Redis', () => {
    expect(workloads.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'gateway',
      'redis',
      'stats-service',
      'worker',
    ]);
  });

  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    'confine %s',
    (_name, { spec }) => {
      const pod = spec.template.spec;
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const container of pod.containers) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { limits: { memory: expect.any(String) } },
          readinessProbe: expect.any(Object),
          livenessProbe: expect.any(Object),
        });
      }
    },
  );

  test('set only what the services read', () => {
    for (const { metadata, spec } of workloads) {
      const schema = SERVICE_SETTINGS[metadata.name as ServiceName] as
        | (typeof SERVICE_SETTINGS)[ServiceName]
        | undefined;
      if (schema === undefined) continue;
      const known = new Set(settingsOf(schema).flatMap(([name]) => [name, `${name}_FILE`]));
      const set = spec.template.spec.containers.flatMap(({ env = [] }) => env.map(({ name }) => name));
      expect(set.filter((name) => !known.has(name))).toEqual([]);
    }
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly env?: readonly { readonly name: string }[] }[] };
    };
  };
}
