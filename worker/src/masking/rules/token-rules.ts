import type { TokenShape } from '../token-shape.ts';
import { AI_TOKENS } from './tokens-ai.ts';
import { CLOUD_TOKENS } from './tokens-cloud.ts';
import { SERVICE_TOKENS } from './tokens-services.ts';
import { SOURCE_CODE_TOKENS } from './tokens-source-code.ts';

/** Every vendor's token shape. */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  ...SOURCE_CODE_TOKENS,
  ...CLOUD_TOKENS,
  ...AI_TOKENS,
  ...SERVICE_TOKENS,
];
