-- Earlier versions stored numbers with what is dialled at home only, such as the zero of +55 011, and their forms did not
-- match that of the same number without it. The expression is that of oneForm in src/lib/number-forms.ts.
create temporary table number_forms on commit drop as
  select origin, form, place, null::text as one from opt_outs
  union all
  select distinct null, form, null::bigint, null from campaign_rows where form is not null;

update number_forms set one = regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(form,
  '^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?!2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])[2-9]\d\d)0+', '\1'),
  '^524[45](\d{10})$', '52\1'),
  '^54(?=\d{12}$)(11|[23]\d{2,3})15(\d{6,8})$', '54\1\2'),
  '^(55[1-9][1-9])9([6-9]\d{7})$', '\1\2'),
  '^521(\d{10})$', '52\1'),
  '^549(\d{10})$', '54\1');

delete from opt_outs as o using (
    select origin, form, row_number() over (partition by origin, one order by place) as nth from number_forms where origin is not null) as f
  where o.origin = f.origin and o.form = f.form and f.nth > 1;

update opt_outs as o set form = f.one from number_forms as f
  where f.origin = o.origin and f.form = o.form and f.one <> o.form;

update campaign_rows as r set form = f.one from number_forms as f
  where f.origin is null and f.form = r.form and f.one <> r.form;
