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
    'the versions are 4.2.0.1 and 4.2.0.2',
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
  ])('go in %j', (template, address) => {
    expect(mask(template.replace('@', address)).text).toBe(template.replace('@', '***IP_ADDRESS***'));
  });
});
