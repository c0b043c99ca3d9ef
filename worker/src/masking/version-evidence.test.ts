import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';

const { mask } = createMasker();

describe('four numbers with dots', () => {
  test.each([
    '| Package | Installed | Latest |\n|---|---|---|\n| libkopi | 4.2.1.0 | 10.0.0.2 |\n',
    'see ISO 14882 17.6.4.2 and 17.6.4.3',
    'RFC 8446, 4.2.9.1',
    'asn1_obj2txt("1.2.36.1")',
    '- 3.0.1.4: added the menu',
    '* **2.7.0.1** - fixes printing',
    '3.1.0.0 (2025-11-02) first draft',
    '3.1.0.1 (2025-11-09) corrections\n3.1.0.0 (2025-11-02) first draft\n',
    '// 20.11.5.3 observers\nstruct kopi;',
    '4.2.1.1. Stream flags',
    '- [x] 11.4.2.10 Test columns',
    'STREET = ObjectIdentifier("2.5.4.9")',
    'kopi-theme (2.30.1.1-3) unstable; urgency=low',
    '{ "node": "18.2.0", "kopi": "10.2.154.26", "uv": "1.43.0" }',
    '"v8": "10.2.154.26"',
    'Fixes since 1.5.5.5\n------------',
    'Kopi 1.8.1.2 Release Notes',
    'needs Kopi 5.3.2.2 or newer',
    'pkg:maven/id.kopi/susu@4.1.1.4?type=jar',
    '<path d="M2 1.5A4.01 4.01 0 0111 18c0 1.52-.87 2.83-2.12 3.86.79.26 2.03.5 3.11.5z"/>',
    '(4.1.1.2 and 4.1.1.3 of the ISO PNG specification)',
    'the versions are 4.2.0.1 and 4.2.0.2',
    'needs libkopi (<< 2.2.7.1-3~)',
    'upgrade Kopi from 4.2.77.18 to 4.2.77.20',
    'Kopi 2.6.8.1 includes the drivers',
    'template class codecvt [22.2.1.5].',
    "'1.0.0.0'),",
    'broken in 1.6.0.1.',
    'kopi-stats\t9.24.0.43\n',
  ])('stay in %j', (text) => {
    expect(mask(text).text).toBe(text);
  });

  test.each([
    ['| Name | Version | IP |\n|---|---|---|\n| a | 4.2.0.1 | @ |\n', '10.20.30.41'],
    ['since release 7 it runs at @', '172.20.3.4'],
    ['the update of the printer in the hall (@) is due', '10.1.8.20'],
    ['RFC 1918 has @ in it', '192.168.4.4'],
    ['- @: added to the pool', '10.3.2.1'],
    ['- @: web server', '8.26.56.26'],
    ['version 3 on @', '192.168.7.7'],
    ['lookup("@")', '9.9.9.9'],
    ['// @ is the printer', '192.168.7.7'],
    ['{ "name": "10.1.2", "host": "@", "port": "8080" }', '10.2.3.4'],
    ['down since @ was moved', '10.20.30.41'],
    ['0.53 ms from @ in 0.61 ms', '203.0.113.9'],
    ['@ db.lan', '10.9.8.7'],
    ['ip v4: @', '203.0.113.9'],
    ['@:8080', '5.9.12.14'],
    ['@/24', '5.9.12.0'],
    ['@ - - [10/Oct/2025:13:55:36 +0000] "GET / HTTP/1.1"', '5.9.12.14'],
    ['moved from @', '5.9.12.14'],
    ['pindah dari @', '5.9.12.14'],
    ['@ port 22', '5.9.12.14'],
    ['@ printer.lan', '5.9.12.14'],
    ['{"client_ip":"@"}', '5.9.12.14'],
    ['1. @', '45.76.12.9'],
    ['the answer came by @', '8.8.4.4'],
  ])('go in %j', (template, address) => {
    expect(mask(template.replace('@', address)).text).toBe(template.replace('@', '***IP_ADDRESS***'));
  });
});
