/** The generation endpoints; they differ only in the persona that answers. */
export const ENDPOINTS = ['/api/ai', '/api/ai2', '/api/ai3'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Generation over the OpenAI protocol: no persona, the caller's own messages. */
export const CHAT_ENDPOINT = '/v1/chat/completions';

/** Every path that generates text. */
export const GENERATION_ENDPOINTS = [...ENDPOINTS, CHAT_ENDPOINT] as const;
export type GenerationEndpoint = (typeof GENERATION_ENDPOINTS)[number];

/** The models that there are always, whatever the operator names besides; configuration maps them to names of the upstream. */
export const PUBLIC_MODELS = ['ai-2.5-flash', 'ai-2.5-pro'] as const;
export type PublicModel = (typeof PUBLIC_MODELS)[number];
