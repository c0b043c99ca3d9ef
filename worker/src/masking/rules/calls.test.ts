import { describe, expect, test } from '@jest/globals';
import { createMasker } from '../mask.ts';
import { chosen, drawn } from './rule.ts';

const { mask } = createMasker();

describe('a call that takes credentials', () => {
  test.each([
    [`session.signIn('rina@kedai.id', '${chosen}')`, "session.signIn('rina@kedai.id', '***API_KEY***')"],
    [`pop.auth(\n  "kedai",\n  "${chosen}",\n)`, 'pop.auth(\n  "kedai",\n  "***API_KEY***",\n)'],
    [`cache.auth("${drawn}")`, 'cache.auth("***API_KEY***")'],
    [`headers.setBasicAuth(name(), "${chosen}");`, 'headers.setBasicAuth(name(), "***API_KEY***");'],
    [`.basic_auth("kedai", Some("${chosen}"))`, '.basic_auth("kedai", Some("***API_KEY***"))'],
    [`sasl.NewPlainClient("", "kedai", "${chosen}")`, 'sasl.NewPlainClient("", "kedai", "***API_KEY***")'],
    [`ldap_bind($ds, "cn=kedai,dc=id", "${chosen}")`, 'ldap_bind($ds, "cn=kedai,dc=id", "***API_KEY***")'],
    [
      `DBI->connect($dsn, 'kedai', '${chosen}', { x => 1 })`,
      "DBI->connect($dsn, 'kedai', '***API_KEY***', { x => 1 })",
    ],
    [`mysqli_real_connect($c, $h, 'kedai', '${chosen}')`, "mysqli_real_connect($c, $h, 'kedai', '***API_KEY***')"],
    [`log = '{"x":"login(\\"rina\\", \\"${chosen}\\")"}'`, 'log = \'{"x":"login(\\"rina\\", \\"***API_KEY***\\")"}\''],
    [
      `pika.PlainCredentials(user=get(1, [2, 3]), '${chosen}')`,
      "pika.PlainCredentials(user=get(1, [2, 3]), '***API_KEY***')",
    ],
  ])('%j', (text, masked) => {
    expect(mask(text).text).toBe(masked);
  });

  test.each([
    'login(user, password)',
    'login("rina", "wrong password")',
    `login("rina", t("login.step2.title"))`,
    'login("rina", env("KEDAI_PASS_2"))',
    'login("rina", `${pass}2`)',
    'requireAuth("admin", "read:users")',
    'i18n.t("login", "Masuk 2")',
    `mysqli_connect("localhost", "${chosen}", $pass)`,
    'ftp.login("anonymous", "anonymous@")',
    `catalogue("rina", "${chosen}")`,
    `login("rina", "${chosen}" + suffix)`,
    'auth("../auth/step2", "../auth/step3")',
  ])('keeps %j', (text) => {
    expect(mask(text).text).toBe(text);
  });
});
