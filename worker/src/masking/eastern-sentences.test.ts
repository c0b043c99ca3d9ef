import { expect, test } from '@jest/globals';
import { mask } from './mask.ts';

/** What forms and manuals say of passwords, in languages that part no words by blanks. */
const SENTENCES = [
  'パスワードを忘れた場合は、管理者に連絡してください。',
  'パスワードを入力してください。',
  'パスワードを変更する場合はこちら',
  'パスワードは 管理画面で変更できます。',
  'パスワードは大文字と小文字を区別します。',
  'パスワードは何ですか。',
  '密码为空时无法登录。',
  '密码是区分大小写的。',
  '密码为了安全起见需要定期更换。',
  '비밀번호는 대소문자를 구분합니다.',
  '비밀번호를 잊으셨나요?',
];

test.each(SENTENCES)('%s gives no password', (sentence) => {
  expect(mask(sentence).text).toBe(sentence);
});

/** What gives one: in quotes, with other characters in it, behind a colon, or a short phrase. */
const GIVEN = [
  'パスワードは「さくら2024」です。',
  'パスワードは さくら2024 です。',
  'パスワードは桜吹雪です。',
  'パスワードを「さくら2024」に変更しました。',
  '密码是樱花盛开。',
  '密码：樱花盛开',
  '비밀번호는 무지개다리입니다.',
];

test.each(GIVEN)('%s gives one', (sentence) => {
  expect(mask(sentence).text).toContain('***API_KEY***');
  expect(mask(sentence).text).not.toMatch(/さくら|桜吹雪|樱花|무지개/);
});
