import { describe, expect, test } from '@jest/globals';
import { metricsUrl } from './metrics-url.ts';

describe('where the metrics of an instance are reached', () => {
  test.each([
    [
      'what the operator says',
      { METRICS_ADVERTISE: 'worker-1', METRICS_HOST: '0.0.0.0' },
      'http://worker-1:9464/metrics',
    ],
    ['the address listened on', { METRICS_HOST: '127.0.0.1' }, 'http://127.0.0.1:9464/metrics'],
    ['the own name, listening on all', { METRICS_HOST: '0.0.0.0' }, 'http://3f2a9c:9464/metrics'],
    ['the own name, listening on all of IPv6', { METRICS_HOST: '::' }, 'http://3f2a9c:9464/metrics'],
    ['an IPv6 address', { METRICS_ADVERTISE: 'fd00::7', METRICS_HOST: '::' }, 'http://[fd00::7]:9464/metrics'],
  ])('%s', (_case, config, url) => {
    expect(metricsUrl(config, 9464, '3f2a9c')).toBe(url);
  });
});
