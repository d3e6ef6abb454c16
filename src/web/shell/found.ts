import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, bodyOf } from '../api/client.js';
import { type Command, matches } from './Palette.js';

const MIN_LETTERS = 2;
const OF_EACH = 5;

/** People, sessions, computers and repositories with these words; nothing before the second letter. */
export function useFound(role: string, text: string): Command[] {
  const navigate = useNavigate();
  const words = text.trim();
  const isAsked = words.length >= MIN_LETTERS;
  const isLeading = role === 'owner' || role === 'manager';
  const isWorking = isLeading || role === 'member';
  const people = useQuery({
    queryKey: ['members', 'found', words],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/organization/members', { params: { query: { search: words, limit: OF_EACH } }, signal })),
    enabled: isAsked && isLeading,
    placeholderData: keepPreviousData,
  });
  const sessions = useQuery({
    queryKey: ['sessions', 'found', words],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v0/sessions/search', { params: { query: { q: words, limit: OF_EACH } }, signal })),
    enabled: isAsked && isWorking,
    placeholderData: keepPreviousData,
  });
  const computers = useQuery({
    queryKey: ['computers', 'found'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/computers', { signal })),
    enabled: isAsked && isWorking,
  });
  const repositories = useQuery({
    queryKey: ['readiness', 'found'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/organization/readiness/repositories', { params: { query: { limit: 100 } }, signal })),
    enabled: isAsked && isWorking,
  });
  if (!isAsked) return [];
  const go = (kind: string, name: string, to: string): Command => ({ kind, name, run: () => void navigate({ to }) });
  const machines = (computers.data?.computers ?? []).filter(({ name }) => matches(name, words)).slice(0, OF_EACH);
  const evaluated = (repositories.data?.repositories ?? [])
    .filter(({ repoId }) => matches(repoId, words))
    .slice(0, OF_EACH);
  return [
    ...(people.data?.members ?? []).map(({ id, email }) => go('Person', email, `/people/${id}`)),
    ...(sessions.data?.results ?? []).map((hit) =>
      go('Session', `${hit.title ?? 'Untitled'}: ${hit.snippet}`, `/sessions/${hit.sessionId}#m-${hit.messageId}`),
    ),
    ...machines.map(({ name }) => go('Computer', name, `/computers?q=${encodeURIComponent(name)}`)),
    ...evaluated.map(({ repoId, reportId }) => go('Repository', repoId, `/readiness/reports/${reportId}`)),
  ];
}
