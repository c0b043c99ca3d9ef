import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';
import { chosen, drawn } from './rules/rule.ts';

const { mask } = createMasker();

describe('the name of a secret in another language', () => {
  test.each([
    `contraseña_bd = "@"`,
    `la clave de acceso es @`,
    `"claveServidor": "@"`,
    `Das WLAN-Kennwort lautet @.`,
    `datenbankPasswort: "@"`,
    `Zugriffsschlüssel = "@"`,
    `Le mot de passe de la base est @, merci.`,
    `MDP_ADMIN=@`,
    `jeton: "@"`,
    `a senha da VPN é @`,
    `SENHA_BANCO=@`,
    `wachtwoord: "@"`,
    `hasło: "@"`,
    `пароль: @`,
    `默认口令为@。`,
    `登录密码：@`,
    `令牌是“@”`,
    `接続用のパスワードは『@』です`,
    `시크릿 = "@"`,
    `kata_laluan_pangkalan = "@"`,
    `#define KEDAI_PASSWD "@"`,
    `CI__RELEASE_PAT=@`,
  ])('%j is given one', (template) => {
    for (const value of [drawn, `${chosen}Selalu4x`])
      expect(mask(template.replace('@', value)).text).toBe(template.replace('@', '***API_KEY***'));
  });

  test.each([
    'clave_foranea = "id_pedido"',
    'palabras_clave = "pedido2024, cliente"',
    'La clave es practicar cada semana.',
    'Fremdschlüssel: 6f1de2c4-9a51-4a7b-8c61-0f2f9a4b7d11',
    'Sorteersleutel = "volgorde_2"',
    'Le mot de passe est obligatoire.',
    'la clé primaire est `id_commande2`',
    'a senha é obrigatória',
    '密码是必填项，长度为12到64个字符。',
    'パスワードは必須です',
    'enclave = "eu-west-1a2b3c4d5e"',
    '#define TLS_PSK "kRSAPSK"',
    'HOST_PAT = r"(?:[^:/?#]|%[a-f0-9]{2})*"',
    'addF(simdPackage, "Uint32x4.AddPairs")',
  ])('%j is given none', (text) => {
    expect(mask(text).text).toBe(text);
  });
});
