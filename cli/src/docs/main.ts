import { mkdirSync, writeFileSync } from 'node:fs';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { metricsPage } from './metrics-docs.ts';
import { modelsSchemaText } from './models-schema-docs.ts';
import { failoverTemplates, redisUsersTemplate, scriptsManifest } from './redis-users-docs.ts';
import { configurationPage, envExample } from './settings-docs.ts';

readOptions({
  name: 'node cli/bootstrap.mjs docs',
  about:
    'Writes all that is generated from the code: settings, metrics, the schema of models.yaml, Redis users. `npm run docs` writes dashboards and rules, too.',
  options: {},
});

const root = new URL('../../../', import.meta.url);

mkdirSync(new URL('docs/', root), { recursive: true });
writeFileSync(new URL('.env.example', root), envExample());
writeFileSync(new URL('docs/configuration.md', root), configurationPage());
writeFileSync(new URL('docs/metrics.md', root), metricsPage());
writeFileSync(new URL('docs/models.schema.json', root), modelsSchemaText());
writeFileSync(new URL('deploy/redis/users.conf', root), redisUsersTemplate());
writeFileSync(new URL('deploy/redis/failover.conf', root), failoverTemplates().redis);
writeFileSync(new URL('deploy/redis/sentinel-users.conf', root), failoverTemplates().sentinels);
writeFileSync(new URL('deploy/kubernetes-ha/scripts.yaml', root), scriptsManifest());
