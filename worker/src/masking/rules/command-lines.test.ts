import { describe, expect, test } from '@jest/globals';
import { createMasker } from '../mask.ts';
import { chosen, drawn } from './rule.ts';

const { mask } = createMasker();

describe('a command line', () => {
  test.each([
    [`valkey-cli -h cache --pass ${chosen} PING`, 'valkey-cli -h cache --pass ***API_KEY*** PING'],
    [`cqlsh -u kedai -p '${chosen}' node-1`, "cqlsh -u kedai -p '***API_KEY***' node-1"],
    [`curl -ukedai:${chosen} -O x`, 'curl -ukedai:***API_KEY*** -O x'],
    [`ldapmodify -D cn=kedai -w ${chosen} -f x.ldif`, 'ldapmodify -D cn=kedai -w ***API_KEY*** -f x.ldif'],
    [`lftp -u kedai,${chosen} ftp.kedai.id`, 'lftp -u kedai,***API_KEY*** ftp.kedai.id'],
    [
      `jarsigner -storepass ${chosen} -keypass ${chosen}x a.jar`,
      'jarsigner -storepass ***API_KEY*** -keypass ***API_KEY*** a.jar',
    ],
    [`htpasswd -bB users.txt kedai ${chosen}`, 'htpasswd -bB users.txt kedai ***API_KEY***'],
    [`mc alias set s3 "$URL" kedai ${chosen}`, 'mc alias set s3 "$URL" kedai ***API_KEY***'],
    [`cargo login ${drawn}`, 'cargo login ***API_KEY***'],
    [`printf '${chosen}' | sudo -S reboot`, "printf '***API_KEY***' | sudo -S reboot"],
    [`echo ${drawn} | gh auth login --with-token`, 'echo ***API_KEY*** | gh auth login --with-token'],
  ])('%j', (text, masked) => {
    expect(mask(text).text).toBe(masked);
    expect(mask(masked).text).toBe(masked);
  });

  test.each([
    'the curl -u option takes user:password',
    'valkey-cli --pass "$REDIS_PASS2"',
    'htpasswd -bB users.txt kedai <password1>',
    'mc alias set s3 "$URL" "$KEY1" "$SECRET2"',
    'cargo login --registry kedai2',
    'vault login then runs v2 of the server',
    'echo step2 | sudo tee /etc/x',
    'zip -r v2.zip build/ && unzip -p v2.zip',
  ])('keeps %j', (text) => {
    expect(mask(text).text).toBe(text);
  });
});
