import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';

const { mask } = createMasker();
/** Where the password goes. */
const HERE = /@(?!shop)/g;

/** By class: a text with `@` for the password, and the password. */
const SAID: readonly (readonly [string, string, string])[] = [
  // Signing in, without the name of a password.
  ['English', 'I logged in to the scanner as svc_scan with @ and it worked.', 'gerimisungu'],
  ['English, in code quotes', 'You can log in as `auditor` with `@`.', 'quiet harbour'],
  ['a mailbox', 'Sign in as finance@shop.example with @ and change it.', 'gooseberrypie'],
  ['German', 'Melde dich als gast mit @ an.', 'Butterbrotdose'],
  ['Dutch', 'Log in als beheer met @.', 'pannenkoekenhuis'],
  ['Italian', 'Accedi come ospite con @.', 'melanzanella'],
  ['Spanish', 'Entra en el panel con el usuario `taller` y `@`.', 'gerimisungu'],
  ['Portuguese', 'Entre com o usuário recepcao e a senha @.', 'beija-florzinho'],
  ['Malay', 'Silakan masuk sebagai tamu dengan @.', 'jambubiji'],
  ['Russian', 'Вошёл как root с @ и всё починил.', 'черешенка'],
  ['a well-known account in Chinese', '用 admin / @ 登录后台。', 'taohuayuan'],
  ['a list of services', '- Grafana: admin / @\n', 'thunderclapping'],
  ['credentials', 'the creds are rosa / @, ok?', 'teaspoon'],
  // Networks.
  ['a network that is named', 'The Wi-Fi of the attic is called Kranich and you connect with @.', 'gerimisungu'],
  ['a network in German', 'Ins WLAN kommt ihr mit „@“ rein.', 'Zwetschgendatschi'],
  // What opens, and numbers.
  ['a word that opens', 'The archive opens with the word @, in small letters.', 'gerimisungu'],
  ['a number that opens', 'The box by the gate opens with @.', '4917'],
  ['a number that is pressed', 'At the gate press @ and the hash key.', '4917'],
  ['a code in German', 'Der Code für die Haustür ist @.', '4917'],
  ['a code in French', 'Le code du portail est le @.', '3307'],
  ['a code in Italian', 'Il codice del cancello è @.', '3384'],
  ['a code in Dutch', 'De code van de poort is @.', '6671'],
  ['a code in Russian', 'Код от двери @.', '5518'],
  ['a code with a letter', 'Le code de la porte est @.', '4096B'],
  ['a PIN of a safe', 'PIN brankas: @\n', '771204'],
  ['a PIN in Portuguese', 'O PIN do armário ficou @, anota aí.', '80417'],
  ['a number in two groups', 'Your one-time code is @.', '481 207'],
  ['a password of digits', 'La clave de la alarma es @.', '7741'],
  ['a security question', "For the first pet, the security question's answer is @.", 'Zwetschgerl'],
  // What a sentence gives to the name of a password.
  ['a phrase in a title', 'The password is @.', 'Kranich over water'],
  ['a passphrase', 'The zip is encrypted, the passphrase is @.', 'ten green bottles'],
  ['an owner of several words', 'The password for the storage account of Ada is @.', 'gerimisungu'],
  ['a word in brackets', 'Our password (@) is on the label.', 'gerimisungu'],
  ['what remains', "The admin account's password remains @.", 'gerimisungu'],
  ['a short form of the verb', "The router password's @, all lowercase.", 'gerimisungu'],
  ['a change in German', 'Ich habe das Kennwort auf @ geändert.', 'Eichhornkobel'],
  ['a change in French', "J'ai changé le mot de passe en @.", 'libellulette'],
  ['Turkish', 'Parola @ olarak değiştirildi.', 'kelebekçik'],
  ['a colon far behind', 'The password you will need at the counter: @\n', 'gerimisungu'],
  ['two and two', 'The username and password are rina and @.', 'gerimisungu'],
  ['named behind', 'Take user `press` and `@` as the password.', 'sunflowerseed'],
  ['named behind in German', 'Nimm "@" als Passwort.', 'sonnenblumenkern'],
  ['named behind in other quotes', 'He puesto «@» como contraseña.', 'medianaranja'],
  ['a phrase that is handed over', 'Enter "@" as the password.', 'salt and pepper'],
  ['typed where it is asked for', 'Just type @ when it asks for the password.', 'gerimisungu'],
  ['tried after another', 'The password changed. Versuch es mit @.', 'gerimisungu'],
  // Letters, forms and tables.
  ['a line below its label', 'Password:\n    @\n', 'gerimisungu'],
  ['a phrase beside a user', 'Username: rosa\nPassword: @\n', 'old oak table'],
  ['a label with a dash', 'User: rosa\nPassword - @\n', 'gerimisungu'],
  ['an owner without a preposition', 'Kata laluan wifi pejabat: @\n', 'rambutan manis'],
  ['Cyrillic behind a dash', 'Пароль от вайфая — @.', 'черешенка'],
  ['Turkish letters', 'Wifi şifresi: @\n', 'gökkuşakcık'],
  ['Chinese', '用户名：guest\n密码：@\n', '苹果树2019'],
  ['Chinese in quotes', '账号 admin，密码「@」。', '春暖花开'],
  ['Chinese with an adverb', '初始密码统一为 @，请修改。', 'taohuayuan'],
  ['a phrase in a cell', '| Site | User | Password |\n|---|---|---|\n| Shop | mia | @ |\n', 'salt and pepper'],
  ['a common word in a cell', '| Site | User | Password |\n|---|---|---|\n| Shop | mia | @ |\n', 'velvet'],
  ['Chinese in a cell', '| 站点 | 用户名 | 密码 |\n|---|---|---|\n| 商城 | li | @ |\n', '红砖房'],
  ['the row of a name', '| Field | Value |\n|---|---|\n| Username | kim |\n| Password | @ |\n', 'orange juice'],
  ['CSV', 'site,user,password\nshop,tom,@\n', 'salt and pepper'],
  ['aligned columns', 'NAME     LOGIN    PASSWORD\nback     tom      @\n', 'summer rain'],
];

/** Sentences of the same words that give nothing away. */
const SAYS_NOTHING = [
  'Log in with your e-mail and password.',
  'Sign in as admin with sudo.',
  'You are logged in as `admin` and `editor`.',
  'Sign in with GitHub and Okta.',
  'You can connect to the WiFi with `nmcli`.',
  'The Wi-Fi is slow, with dropouts every hour.',
  'The file opens with Okular.',
  'The error code for the door sensor is 5012.',
  'Enter 4096 in the size field.',
  'The password for the account is required.',
  'The password is case sensitive.',
  'The recovery phrase is on paper.',
  'La clave es única por usuario, y la contraseña caduca cada 90 días.',
  'Do not use `username` as the password.',
  'Password:\n    The password of the user.\n',
  'Password - the password to use\n',
  '| User | Password |\n|---|---|\n| budi | see the vault |\n',
  '| User | Password |\n|---|---|\n| budi | not set |\n',
  '| 用户 | 密码 |\n|---|---|\n| li | 必须修改 |\n',
  'user,password\nvalid user,invalid password\n',
  '密码为必填项。',
  'パスワードは必須です。',
  'The answer is Zwetschge.',
  'Type `exit` and press Enter.',
  'The username and password are required and checked.',
  'The passphrase is asked for when the key is loaded.',
  'He set it to Monday.',
  '# define __cpp_lib_pair_type 201806L\n',
  '#define LINUX_VERSION_CODE 393659\n',
  'the manual (Drepper, Miller, and Pinard 1995)',
  'if password:\n    ciphername = DEFAULT\n',
  'if password:\n    ciphername\n',
  'Password:\n    ciphername = DEFAULT\n',
  'The passphrase returned by the callback is too long.',
  'The passphrase is far too short.',
  'Your login is your e-mail and the password is very important.',
  'Try again later, the password was reset.',
] as const;

describe('sentences, letters and tables that give a password', () => {
  test.each(SAID)('%s: masked', (_class, text, password) => {
    const masked = mask(text.replace(HERE, password)).text;
    expect(masked).toContain('***API_KEY***');
    expect(masked).not.toContain(password);
    expect(mask(masked).text).toBe(masked);
  });

  test.each(SAID)('%s: what stands around it stays', (_class, text, password) => {
    expect(mask(text.replace(HERE, password)).text).toBe(text.replace(HERE, '***API_KEY***'));
  });

  test.each(SAYS_NOTHING)('%j stays', (text) => {
    expect(mask(text).text).toBe(text);
  });

  test('in pieces they are masked as in one', () => {
    for (const [, text, password] of SAID) {
      const whole = text.replace(HERE, password);
      const pieces = createMasker().createPieces();
      let shown = '';
      for (const character of whole) shown += pieces.push(character);
      expect(shown + pieces.end()).toBe(mask(whole).text);
    }
  });
});
