import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../page/build-page.ts';

// Runs before `npm pack`: what the package has beside the sources. npm leaves package-lock.json out, whatever is asked, so
// it is taken along under another name.
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const unbuilt = await buildPage(root);
if (unbuilt !== undefined) {
  process.stderr.write(`The dashboard's page could not be built: ${unbuilt}\n`);
  process.exit(1);
}
mkdirSync(join(root, 'dist'), { recursive: true });
copyFileSync(join(root, 'package-lock.json'), join(root, 'dist', 'lockfile.json'));
