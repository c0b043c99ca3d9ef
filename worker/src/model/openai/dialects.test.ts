import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { cutAnywhere } from '../../../testing/cut-anywhere.ts';
import { AnswerGatherer } from '../answer-gatherer.ts';
import type { ModelPart, ModelResult } from '../language-model.ts';
import { ResponseReader } from './response-reader.ts';

/**
 * How servers of the protocol differ, by their own sources and documents, in the bytes that they send. Of llama.cpp and
 * vLLM there are recordings, see recordings.test.ts; how each of them refuses stands in upstream-refusals.int.test.ts.
 */
interface Dialect {
  readonly server: string;
  readonly what: string;
  readonly bytes: string;
  /** In part. */
  readonly expected: object;
}

const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  event({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});
const DONE = 'data: [DONE]\n\n';
const call = (name: string, args: unknown, more: object = {}) => ({
  type: 'function',
  function: { name, arguments: args },
  ...more,
});

/** What becomes of a call without an id. */
const called = (name: string, at?: number) => ({
  id: expect.stringMatching(/^call_/),
  name,
  arguments: at === undefined ? '{}' : JSON.stringify({ at }),
});

const refusing = (message: object) =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] });

const DIALECTS: readonly Dialect[] = [
  {
    server: 'OpenAI',
    what: 'a refusal in place of an answer',
    bytes: refusing({ content: null, refusal: 'I cannot 🌴 that.' }),
    expected: { text: '', refusal: 'I cannot 🌴 that.', finishReason: 'stop' },
  },
  {
    server: 'OpenAI',
    what: 'a refusal in pieces',
    bytes: `${chunk({ role: 'assistant', content: '', refusal: null })}${chunk({ refusal: 'I cannot ' })}${chunk({ refusal: '🌴 that.' })}${chunk({}, 'stop')}${DONE}`,
    expected: { text: '', refusal: 'I cannot 🌴 that.', finishReason: 'stop' },
  },
  {
    server: 'OpenAI',
    what: 'a refusal behind the beginning of an answer, which ends that',
    bytes: `${chunk({ role: 'assistant', content: 'Well, ' })}${chunk({ refusal: 'I cannot.' })}${chunk({}, 'stop')}${DONE}`,
    expected: { text: 'Well, I cannot.', finishReason: 'stop' },
  },
  {
    server: 'OpenAI',
    what: 'what was cached and thought of its counts, and what is no count',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'stop')}${event({ choices: [], usage: { ...usage(9, 4).usage, prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 }, completion_tokens_details: { reasoning_tokens: -1 } } })}${DONE}`,
    expected: { text: 'Hi', usage: { input: 9, output: 4, cachedInput: 8 } },
  },
  {
    server: 'OpenRouter',
    what: 'comments while it works',
    bytes: `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${chunk({ role: 'assistant', content: 'Hi' })}: OPENROUTER PROCESSING\n\n${chunk({ role: 'assistant', content: '' }, 'stop')}${chunk({ role: 'assistant', content: '' }, null, usage(5, 1))}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 5, output: 1 } },
  },
  {
    server: 'OpenRouter',
    what: 'a failure in mid-stream',
    bytes: `${chunk({ content: 'Hi' })}${event({ error: { code: 502, message: 'Provider disconnected' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] })}`,
    expected: { fails: { said: expect.objectContaining({ status: 502 }) } },
  },
  {
    server: 'Azure',
    what: 'a first chunk without choices, and annotations without a delta',
    bytes: `${event({ id: '', object: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] })}${chunk({ role: 'assistant', content: '', refusal: null })}${chunk({ content: 'Hi' })}${chunk({}, 'stop')}${event({ choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 }, content_filter_results: {} }] })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
  {
    server: 'Azure',
    what: 'the end of an answer by its filter',
    bytes: `${event({ choices: [] })}${chunk({ content: 'Hi' })}${chunk({}, 'content_filter')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'content_filter' },
  },
  {
    server: 'DeepSeek',
    what: 'comments, and its thoughts before its answer',
    bytes: `: keep-alive\n\n${chunk({ role: 'assistant', content: null, reasoning_content: '' })}${chunk({ content: null, reasoning_content: 'Hm.' })}${chunk({ content: 'Hi', reasoning_content: null })}${chunk({ content: '', reasoning_content: null }, 'stop', usage(4, 2))}${DONE}`,
    expected: { text: 'Hi', reasoning: 'Hm.', finishReason: 'stop', usage: { input: 4, output: 2 } },
  },
  {
    server: 'DeepSeek',
    what: 'empty lines before an answer in one piece',
    bytes: `\n\n\n${JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi', reasoning_content: 'Hm.' }, finish_reason: 'stop' }], ...usage(4, 2) })}`,
    expected: { text: 'Hi', reasoning: 'Hm.', usage: { input: 4, output: 2 } },
  },
  {
    server: 'DeepSeek',
    what: 'an answer that it had no room to end',
    bytes: `${chunk({ content: 'Hi' })}${chunk({ content: '' }, 'insufficient_system_resource')}${DONE}`,
    expected: { fails: { kind: 'cut_off' } },
  },
  {
    server: 'vLLM',
    what: 'an answer that it stopped itself',
    bytes: `${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'Hi' })}${chunk({}, 'abort')}${DONE}`,
    expected: { fails: { kind: 'cut_off' } },
  },
  {
    server: 'vLLM of 2024',
    what: 'an error as an event of its own, with nothing around it',
    bytes: `${event({ object: 'error', message: 'Out of memory', type: 'InternalServerError', param: null, code: 500 })}${DONE}`,
    expected: { fails: { said: expect.objectContaining({ status: 500 }) } },
  },
  {
    server: 'SGLang',
    what: 'thoughts that are null, what stopped it, and counts in each chunk',
    bytes: `${chunk({ role: 'assistant', content: '', reasoning_content: null }, null, { ...usage(7, 0) })}${chunk({ content: 'Hi', reasoning_content: null })}${event({ choices: [{ index: 0, delta: { content: null }, finish_reason: 'stop', matched_stop: 2 }], ...usage(7, 1) })}${event({ choices: [], ...usage(7, 2) })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 7, output: 2 } },
  },
  {
    server: 'TGI',
    what: 'no space behind the field, and its own words for an end',
    bytes: `data:{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}\n\ndata:{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"eos_token"}]}\n\ndata: [DONE]\n\n`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
  {
    server: 'TGI',
    what: 'a call without a list around it, in pieces',
    bytes: `${chunk({ role: 'assistant', tool_calls: { index: 0, id: '', type: 'function', function: { name: 'look', arguments: '' } } })}${chunk({ role: 'assistant', tool_calls: { index: 0, id: '', type: 'function', function: { name: null, arguments: '{"at":1' } } })}${chunk({ role: 'assistant', tool_calls: { index: 0, id: '', type: 'function', function: { name: null, arguments: '}' } } })}${chunk({ role: 'assistant', content: '' }, 'eos_token')}${DONE}`,
    expected: {
      text: '',
      finishReason: 'tool_calls',
      toolCalls: [{ id: expect.stringMatching(/^call_/), name: 'look', arguments: '{"at":1}' }],
    },
  },
  {
    server: 'TGI',
    what: 'an error whose words are all there is',
    bytes: 'data:{"error":"Request failed during generation: Server error: CUDA","error_type":"generation"}\n\n',
    expected: { fails: { said: expect.objectContaining({ words: ['generation'] }) } },
  },
  {
    server: 'Ollama',
    what: 'the role in each chunk, thoughts by another name, and several calls with index 0',
    bytes: `${chunk({ role: 'assistant', content: '', reasoning: 'Hm.' })}${chunk({ role: 'assistant', content: '', tool_calls: [call('look', '{"at":1}', { id: 'call_a', index: 0 })] })}${chunk({ role: 'assistant', content: '', tool_calls: [call('look', '{"at":2}', { id: 'call_b', index: 0 })] })}${chunk({ role: 'assistant', content: '' }, 'tool_calls')}${event({ choices: [], ...usage(9, 3) })}${DONE}`,
    expected: {
      reasoning: 'Hm.',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: 'call_a', name: 'look', arguments: '{"at":1}' },
        { id: 'call_b', name: 'look', arguments: '{"at":2}' },
      ],
      usage: { input: 9, output: 3 },
    },
  },
  {
    server: 'Ollama',
    what: 'an error as a line that is no event',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}{"error":{"message":"unexpected EOF","type":"api_error"}}\n`,
    expected: { fails: { kind: 'cut_off' } },
  },
  {
    server: 'LM Studio',
    what: 'an error by the name of its event',
    bytes: 'event: error\ndata: {"error":{"message":"Model unloaded."},"message":"Model unloaded."}\n\n',
    expected: { fails: { said: expect.objectContaining({ message: 'Model unloaded.' }) } },
  },
  {
    server: 'LM Studio',
    what: 'a call in pieces whose id comes once',
    bytes: `${chunk({ role: 'assistant', tool_calls: [call('look', '', { index: 0, id: '365174485' })] })}${chunk({ tool_calls: [{ index: 0, function: { name: '', arguments: '{"at"' } }] })}${chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] })}${chunk({}, 'tool_calls')}${DONE}`,
    expected: { finishReason: 'tool_calls', toolCalls: [{ id: '365174485', name: 'look', arguments: '{"at":1}' }] },
  },
  {
    server: 'LocalAI',
    what: 'counts of nothing in each chunk but the last',
    bytes: `${chunk({ role: 'assistant', content: null }, null, usage(0, 0))}${chunk({ content: 'Hi' }, null, usage(0, 0))}${chunk({ content: null }, 'stop', usage(6, 1))}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 6, output: 1 } },
  },
  {
    server: 'TabbyAPI',
    what: 'pings with the ends of lines that Windows has',
    bytes: `: ping - 2026-11-22 10:00:00.000000+00:00\r\n\r\n${chunk({ role: 'assistant', content: 'Hi' }).replaceAll('\n', '\r\n')}${chunk({}, 'stop', usage(3, 1)).replaceAll('\n', '\r\n')}data: [DONE]\r\n\r\n`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 3, output: 1 } },
  },
  {
    server: 'TabbyAPI',
    what: 'an error with its trace',
    bytes: `${event({ error: { message: 'Completion aborted. Maybe the model was unloaded?', trace: 'Traceback' } })}${DONE}`,
    expected: { fails: { said: expect.objectContaining({ message: expect.stringMatching(/^Completion/) }) } },
  },
  {
    server: 'Groq',
    what: 'counts in a place of its own',
    bytes: `${chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_x' } })}${chunk({ content: 'Hi' })}${chunk({}, 'stop', { x_groq: { id: 'req_x', ...usage(8, 1) } })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 8, output: 1 } },
  },
  {
    server: 'Groq',
    what: 'an error by the name of its event',
    bytes: `${chunk({ role: 'assistant', content: '' })}event: error\ndata: {"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed"}}\n\n`,
    expected: { fails: { said: expect.objectContaining({ words: ['tool_use_failed', 'invalid_request_error'] }) } },
  },
  {
    server: 'Mistral',
    what: 'whole calls with ids of nine letters, and thoughts as parts',
    bytes: `${chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] })}${chunk({ content: '', tool_calls: [call('look', '{"at":1}', { id: 'D681PevKs', index: 0 }), call('look', '{"at":2}', { id: 'Z681PevKs', index: 1 })] }, 'tool_calls', usage(5, 9))}${DONE}`,
    expected: {
      reasoning: 'Hm.',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: 'D681PevKs', name: 'look', arguments: '{"at":1}' },
        { id: 'Z681PevKs', name: 'look', arguments: '{"at":2}' },
      ],
      usage: { input: 5, output: 9 },
    },
  },
  {
    server: 'Mistral',
    what: 'a context that is full',
    bytes: `${chunk({ content: 'Hi' })}${chunk({ content: '' }, 'model_length')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'length' },
  },
  {
    server: 'Gemini (its layer for clients of OpenAI)',
    what: 'text with its end, several calls without ids and with index 0',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({ role: 'assistant', tool_calls: [call('look', '{"at":1}', { id: '', index: 0 })] })}${chunk({ role: 'assistant', tool_calls: [call('look', '{"at":2}', { id: '', index: 0 })] }, 'stop')}${DONE}`,
    expected: {
      text: 'Hi',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: expect.stringMatching(/^call_/), name: 'look', arguments: '{"at":1}' },
        { id: expect.stringMatching(/^call_/), name: 'look', arguments: '{"at":2}' },
      ],
    },
  },
  {
    server: 'llama-cpp-python',
    what: 'a stream without counts',
    bytes: `${chunk({ role: 'assistant' })}${chunk({ content: 'Hi' })}${chunk({}, 'stop')}${DONE}`,
    expected: { text: 'Hi', usage: { input: 2, output: 1, isEstimated: true } },
  },
  {
    server: 'LiteLLM',
    what: 'counts behind the end, beside an empty choice',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'stop')}${event({ choices: [{ index: 0, delta: {} }], ...usage(5, 1) })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 5, output: 1 } },
  },
  {
    server: 'Together',
    what: 'its own word for an end',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${event({ choices: [{ index: 0, delta: { content: '' }, text: '', finish_reason: 'eos' }], ...usage(5, 1) })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop', usage: { input: 5, output: 1 } },
  },
  {
    server: 'Gemini (its layer for clients of OpenAI)',
    what: 'an error in mid-stream, as a list of one',
    bytes: `${chunk({ content: 'Hi' })}data: [{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]\n\n`,
    expected: { fails: { said: expect.objectContaining({ status: 503, message: 'The model is overloaded.' }) } },
  },
  {
    server: 'one-api in front of Gemini',
    what: "Gemini's words for an end",
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'MAX_TOKENS')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'length' },
  },
  {
    server: 'one-api in front of Gemini',
    what: "Gemini's word for its filter",
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'SAFETY')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'content_filter' },
  },
  {
    server: 'Perplexity',
    what: 'all so far beside what is new, with counts and citations in each chunk',
    bytes: `${event({ choices: [{ index: 0, message: { content: 'Hi' }, delta: { role: 'assistant', content: 'Hi' } }], citations: ['https://a.example'], ...usage(3, 1) })}${event({ choices: [{ index: 0, finish_reason: 'stop', message: { content: 'Hi!' }, delta: { content: '!' } }], citations: ['https://a.example'], ...usage(3, 2) })}`,
    expected: { text: 'Hi!', finishReason: 'stop', usage: { input: 3, output: 2 } },
  },
  {
    server: 'NVIDIA NIM',
    what: 'a call without a reason for its end',
    bytes: `${chunk({ role: 'assistant', content: null })}${chunk({ tool_calls: [call('look', '{"at":1}', { id: 'chatcmpl-tool-1', index: 0 })] })}${DONE}`,
    expected: {
      finishReason: 'tool_calls',
      toolCalls: [{ id: 'chatcmpl-tool-1', name: 'look', arguments: '{"at":1}' }],
    },
  },
  {
    server: 'xAI',
    what: 'thoughts, a whole call in one chunk, and counts with the end',
    bytes: `${chunk({ role: 'assistant', reasoning_content: 'Hm.' })}${chunk({ tool_calls: [call('look', '{"at":1}', { id: 'call_01', index: 0 })] })}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], ...usage(6, 4), system_fingerprint: 'fp_x' })}${DONE}`,
    expected: { reasoning: 'Hm.', finishReason: 'tool_calls', usage: { input: 6, output: 4 } },
  },
  {
    server: 'Gemini (its layer for clients of OpenAI)',
    what: 'several calls in one chunk without index and id',
    bytes: `${chunk({ role: 'assistant', tool_calls: [call('look', '{"at":1}', { id: '' }), call('look', '{"at":2}', { id: '' }), call('end', '', { id: '' })] }, 'stop')}${DONE}`,
    expected: { finishReason: 'tool_calls', toolCalls: [called('look', 1), called('look', 2), called('end')] },
  },
  {
    server: 'MLX',
    what: 'its progress as comments, and calls without index and id, each in a chunk of its own',
    bytes: `: keepalive 512/2048\n\n${chunk({ role: 'assistant', content: '' })}${chunk({ tool_calls: [call('look', '{"at":1}', { id: null })] })}${chunk({ tool_calls: [call('find', '{"at":2}', { id: null })] })}${chunk({ role: 'assistant', content: '' }, 'tool_calls')}${DONE}`,
    expected: { finishReason: 'tool_calls', toolCalls: [called('look', 1), called('find', 2)] },
  },
  {
    server: 'a server without index and id',
    what: 'a call in pieces, with its name in each of them',
    bytes: `${chunk({ tool_calls: [call('look', '{"at"')] })}${chunk({ tool_calls: [call('look', ':1}')] })}${chunk({}, 'tool_calls')}${DONE}`,
    expected: { finishReason: 'tool_calls', toolCalls: [called('look', 1)] },
  },
  {
    server: 'a server without index',
    what: 'a call in pieces, with its id in each of them',
    bytes: `${chunk({ tool_calls: [call('look', '{"at"', { id: 'a' })] })}${chunk({ tool_calls: [call('', ':1}', { id: 'a' })] })}${chunk({}, 'tool_calls')}${DONE}`,
    expected: { finishReason: 'tool_calls', toolCalls: [{ id: 'a', name: 'look', arguments: '{"at":1}' }] },
  },
  {
    server: 'MiniMax',
    what: 'all of the answer once more at its end',
    bytes: `${chunk({ role: 'assistant', content: 'Hel' })}${chunk({ content: 'lo' })}${event({ object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }], ...usage(3, 2) })}`,
    expected: { text: 'Hello', finishReason: 'stop', usage: { input: 3, output: 2 } },
  },
  {
    server: 'a server with both names for thoughts',
    what: 'one of them empty, or both the same',
    bytes: `${chunk({ role: 'assistant', content: '', reasoning_content: '', reasoning: 'Hm, ' })}${chunk({ reasoning_content: 'yes.', reasoning: 'yes.' })}${chunk({ content: 'Hi' }, 'stop')}${DONE}`,
    expected: { text: 'Hi', reasoning: 'Hm, yes.', finishReason: 'stop' },
  },
  {
    server: 'a server that cannot stream',
    what: 'a message as its only event',
    bytes: `${event({ object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] })}${DONE}`,
    expected: { text: 'Hello', finishReason: 'stop' },
  },
  {
    server: 'DashScope',
    what: 'a reason to end that is the word null until it ends',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' }, 'null')}${chunk({ content: '!' }, 'stop')}${DONE}`,
    expected: { text: 'Hi!', finishReason: 'stop' },
  },
  {
    server: 'KoboldCpp',
    what: 'an end in each chunk',
    bytes: `event: message\n${chunk({ role: 'assistant', content: 'Hi' }, 'stop')}event: message\n${chunk({ content: '!' }, 'length')}${DONE}`,
    expected: { text: 'Hi!', finishReason: 'length' },
  },
  {
    server: 'Databricks',
    what: 'thoughts as a summary among the parts',
    bytes: `${chunk({ role: 'assistant', content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.', signature: '' }] }] })}${chunk({ content: [{ type: 'text', text: 'Hi' }] }, 'stop')}${DONE}`,
    expected: { text: 'Hi', reasoning: 'Hm.', finishReason: 'stop' },
  },
  {
    server: 'Cohere',
    what: 'its own word for an end',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'COMPLETE')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
  {
    server: 'Zhipu',
    what: 'the end of an answer by its filter',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({ content: '' }, 'sensitive')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'content_filter' },
  },
  {
    server: 'Zhipu',
    what: 'an answer that broke behind it',
    bytes: `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({ content: '' }, 'network_error')}${DONE}`,
    expected: { fails: { kind: 'cut_off' } },
  },
  {
    server: 'a server that gives several answers',
    what: 'the first of them behind another one, with its index as text',
    bytes: `${event({ choices: [{ index: '1', delta: { content: 'No' } }] })}${event({
      choices: [
        { index: '1', delta: { content: '!' } },
        { index: '0', delta: { content: 'Hi' }, finish_reason: 'stop' },
      ],
    })}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
  {
    server: 'a proxy that ends a stream in order when its upstream breaks',
    what: 'half of an event at the end',
    bytes: `${chunk({ content: 'Hi' })}${chunk({ content: 'there' }).slice(0, -20)}`,
    expected: { fails: { kind: 'cut_off' } },
  },
  {
    server: 'a server on Windows',
    what: 'a byte order mark before an answer in one piece',
    bytes: `\ufeff${JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] })}`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
  {
    server: 'a server on Windows',
    what: 'a byte order mark before a stream',
    bytes: `\ufeff${chunk({ content: 'Hi' }, 'stop')}${DONE}`,
    expected: { text: 'Hi', finishReason: 'stop' },
  },
];

/** What comes of a response of status 200, in pieces that `cut` makes of its bytes. */
function read(bytes: string, cut: (bytes: Buffer) => Buffer[]): ModelResult {
  const parts: ModelPart[] = [];
  const chat = { messages: [{ role: 'user' as const, content: 'Hello.' }] };
  const gatherer = new AnswerGatherer(chat, 1_000_000, (part) => parts.push(part));
  const reader = new ResponseReader(gatherer, 1_000_000, () => undefined);
  reader.begin(200, { 'content-type': /^[\s\ufeff]*\{/.test(bytes) ? 'application/json' : 'text/event-stream' });
  for (const piece of cut(Buffer.from(bytes))) if (reader.read(piece) === 'complete') break;
  const result = reader.end();
  expect(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')).toBe(result.text);
  return result;
}

function outcomeOf(bytes: string, cut: (bytes: Buffer) => Buffer[]): unknown {
  try {
    return read(bytes, cut);
  } catch (error) {
    return { fails: error };
  }
}

describe('a server of the protocol with ways of its own', () => {
  test.each(DIALECTS)('$server: $what', ({ bytes, expected }) => {
    expect(outcomeOf(bytes, (all) => [all])).toMatchObject(expected);
    const random = seededRandom(bytes.length);
    for (let round = 0; round < 20; round++) {
      expect(outcomeOf(bytes, cutAnywhere(random))).toMatchObject(expected);
    }
  });
});
