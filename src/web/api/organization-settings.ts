import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from './client.js';

export function useOrganizationSettings({ isEnabled = true } = {}) {
  return useQuery({
    queryKey: ['organization-settings'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v0/organization/settings', { signal })),
    enabled: isEnabled,
  });
}
