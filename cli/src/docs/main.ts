import { mkdirSync, writeFileSync } from 'node:fs';
import { metricsPage } from './metrics-docs.ts';
import { redisUsersTemplate } from './redis-users-docs.ts';
import { configurationPage, envExample } from './settings-docs.ts';

const root = new URL('../../../', import.meta.url);

mkdirSync(new URL('docs/', root), { recursive: true });
writeFileSync(new URL('.env.example', root), envExample());
writeFileSync(new URL('docs/configuration.md', root), configurationPage());
writeFileSync(new URL('docs/metrics.md', root), metricsPage());
writeFileSync(new URL('deploy/redis/users.conf', root), redisUsersTemplate());
