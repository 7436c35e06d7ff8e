# Completion of botctl for PowerShell, generated from its commands; nobody has tried it yet.
# In $PROFILE: botctl completion powershell | Out-String | Invoke-Expression

# The commands that may follow a command: word, tab, what it does.
function __BotctlVerbs([string]$trail) {
    switch -CaseSensitive ($trail) {
        '' { ('login' + "`t" + 'Store an API key as a profile'), ('logout' + "`t" + 'Forget the API key of a profile'), ('whoami' + "`t" + 'Show who you are, and where that came from'), ('profiles' + "`t" + 'List, choose, change, rename and remove profiles'), ('token' + "`t" + 'Print a valid access token for a script'), ('doctor' + "`t" + 'Look for what is wrong, and say what to do about it'), ('completion' + "`t" + 'Print the completion script of a shell'), ('keys' + "`t" + 'Create, list, show, rotate and delete API keys'), ('teams' + "`t" + 'Create, list, show and update teams'), ('tenants' + "`t" + 'Keep teams and what is in them as files'), ('bots' + "`t" + 'Create, list, show, update and delete bots'), ('docs' + "`t" + 'Upload, list, show and rename knowledge documents'), ('api' + "`t" + 'Call any endpoint, and print its answer as it comes'), ('device' + "`t" + 'Create, pair, watch and disconnect messaging devices'), ('send' + "`t" + 'Send a message through a paired device'), ('campaigns' + "`t" + 'Make and send messages for the rows of a list'), ('optouts' + "`t" + 'Keep the numbers that are not to be written to'), ('sandbox' + "`t" + 'Run the whole service on this machine'), ('tour' + "`t" + 'See the main job done from start to end on a sandbox'), ('help' + "`t" + 'Show help for a command or a topic') }
        'profiles' { ('list' + "`t" + 'List the profiles on this machine'), ('ls' + "`t" + 'The same as list'), ('show' + "`t" + 'Show one profile with its settings'), ('get' + "`t" + 'The same as show'), ('use' + "`t" + 'Make a profile the current one'), ('set' + "`t" + 'Change how the service of a profile is called'), ('rename' + "`t" + 'Give a profile another name'), ('remove' + "`t" + 'Remove a profile from this machine'), ('rm' + "`t" + 'The same as remove') }
        'keys' { ('create' + "`t" + 'Create an API key'), ('list' + "`t" + 'List API keys'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show an API key, without its secret'), ('show' + "`t" + 'The same as get'), ('rotate' + "`t" + 'Put a new API key in the place of the one in use'), ('delete' + "`t" + 'Delete an API key for good'), ('rm' + "`t" + 'The same as delete') }
        'teams' { ('create' + "`t" + 'Create a team and its administrator'), ('list' + "`t" + 'List teams'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a team with its quotas and settings'), ('show' + "`t" + 'The same as get'), ('overview' + "`t" + 'Show a team with what it has and what it may have'), ('update' + "`t" + 'Change a team') }
        'tenants' { ('init' + "`t" + 'Write an example of a tenant, to begin with'), ('validate' + "`t" + 'Check files of tenants'), ('schema' + "`t" + 'Print the JSON Schema of files of tenants'), ('plan' + "`t" + 'Show what would make tenants as their files say'), ('apply' + "`t" + 'Make tenants as their files say'), ('export' + "`t" + 'Write teams that are there as files of tenants, with their lock'), ('show' + "`t" + 'List what the lock knows: each address with its id'), ('import' + "`t" + 'Say which object of the service an address is'), ('forget' + "`t" + 'Take an object out of the lock, and leave it in the service'), ('rebind' + "`t" + 'Use the lock with another address of its service') }
        'bots' { ('questions' + "`t" + 'Add, list and remove the questions that a bot answers'), ('actions' + "`t" + 'Add, list and remove the HTTP actions of a bot'), ('documents' + "`t" + 'Add, list and remove the documents that a bot knows'), ('create' + "`t" + 'Create a bot'), ('list' + "`t" + 'List bots'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a bot with its questions, actions and documents'), ('show' + "`t" + 'The same as get'), ('update' + "`t" + 'Change a bot'), ('edit' + "`t" + 'Change a bot in your editor'), ('diff' + "`t" + 'Show what a file would change about a bot'), ('delete' + "`t" + 'Delete a bot, its assistant and its document links'), ('rm' + "`t" + 'The same as delete') }
        'bots questions' { ('add' + "`t" + 'Teach a bot one answer more'), ('list' + "`t" + 'List what a bot has been taught to answer'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Take questions away from a bot'), ('rm' + "`t" + 'The same as remove') }
        'bots actions' { ('add' + "`t" + 'Give a bot one HTTP action more'), ('list' + "`t" + 'List the HTTP actions of a bot'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Take HTTP actions away from a bot'), ('rm' + "`t" + 'The same as remove') }
        'bots documents' { ('add' + "`t" + 'Attach documents to a bot'), ('list' + "`t" + 'List the documents that are attached to a bot'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Detach documents from a bot'), ('rm' + "`t" + 'The same as remove') }
        'docs' { ('upload' + "`t" + 'Upload documents'), ('sync' + "`t" + 'Bring a folder into a team'), ('count' + "`t" + 'Count the characters of files'), ('list' + "`t" + 'List documents'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a document'), ('show' + "`t" + 'The same as get'), ('rename' + "`t" + 'Rename a document') }
        'api' { ('POST' + "`t" + 'Call an endpoint with POST'), ('GET' + "`t" + 'Call an endpoint with GET'), ('DELETE' + "`t" + 'Call an endpoint with DELETE'), ('PATCH' + "`t" + 'Call an endpoint with PATCH') }
        'device' { ('create' + "`t" + 'Create a device for a bot'), ('connect' + "`t" + 'Connect a device, and pair it by the QR code in the terminal'), ('pair' + "`t" + 'The same as connect'), ('status' + "`t" + 'Show the state of devices, or watch them'), ('show' + "`t" + 'The same as status'), ('history' + "`t" + 'List what this machine saw of a device: pairings, losses, refusals'), ('repair' + "`t" + 'Restart a device whose state makes no sense'), ('disconnect' + "`t" + 'Stop a device and detach it from the platform'), ('list' + "`t" + 'List the devices that this machine knows of'), ('ls' + "`t" + 'The same as list'), ('add' + "`t" + 'Note a device in the device book, by its id'), ('forget' + "`t" + 'Take devices out of the device book; the devices themselves stay'), ('export' + "`t" + 'Print the devices of the device book for another machine'), ('import' + "`t" + 'Take in the devices that device export printed elsewhere') }
        'campaigns' { ('create' + "`t" + 'Make a campaign: a message for each row of a list, checked and frozen'), ('list' + "`t" + 'List the campaigns for the service, on this machine or in the database'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a campaign: its devices, how many rows it has, its first and last message'), ('show' + "`t" + 'The same as get'), ('add' + "`t" + 'Add rows to a campaign: those of a list whose numbers it does not have yet'), ('test' + "`t" + 'Send one message as a campaign would, to a number of your own'), ('run' + "`t" + 'Send what campaigns have planned, each message at most once'), ('results' + "`t" + 'Print the rows of a campaign with all their columns, and how each stands'), ('settle' + "`t" + 'Say what became of messages whose answer was lost, after a look at the phone'), ('pause' + "`t" + 'Pause a campaign: whatever sends it ends before its next message'), ('cancel' + "`t" + 'Cancel a campaign for good: what is left of it is never sent'), ('delete' + "`t" + 'Delete a campaign with its numbers, its texts and what came of them'), ('rm' + "`t" + 'The same as delete'), ('remove' + "`t" + 'The same as delete'), ('migrate' + "`t" + 'Move campaigns and opt-outs to the current storage') }
        'optouts' { ('add' + "`t" + 'Note that a number is not to be written to'), ('remove' + "`t" + 'Take a number off the list of those that are not to be written to'), ('rm' + "`t" + 'The same as remove'), ('delete' + "`t" + 'The same as remove'), ('list' + "`t" + 'List the numbers that are not to be written to'), ('ls' + "`t" + 'The same as list'), ('import' + "`t" + 'Note the numbers of a list, none of which is to be written to') }
        'sandbox' { ('phone' + "`t" + 'Scan codes with the simulated phone, and see what may happen to a device'), ('key' + "`t" + 'Deactivate an API key of the sandbox'), ('clock' + "`t" + 'Set the clock of the sandbox, stop it, let it go on'), ('fault' + "`t" + 'Let calls of the sandbox fail on purpose'), ('start' + "`t" + 'Run the whole service on this machine until Ctrl-C, or in the background'), ('run' + "`t" + 'Run a command with a sandbox of its own'), ('status' + "`t" + 'Show the sandbox that runs: where it is, its time, how much it holds'), ('stop' + "`t" + 'End the running sandbox'), ('reset' + "`t" + 'Empty the running sandbox'), ('seed' + "`t" + 'Fill the running sandbox with teams, bots and documents'), ('publish' + "`t" + 'Publish a bot, as the platform does outside the API'), ('behave' + "`t" + 'Let the running sandbox do otherwise what the specification leaves open'), ('log' + "`t" + 'Show the requests that the running sandbox met'), ('messages' + "`t" + 'Show the messages that the network of the running sandbox took'), ('openapi' + "`t" + 'Print the API as an OpenAPI 3.1 document'), ('migrate' + "`t" + 'Migrate a database of an earlier botctl') }
        'sandbox phone' { ('scan' + "`t" + 'Hold a picture of a QR code before the simulated phone'), ('unlink' + "`t" + 'Remove a device from the linked devices of its phone'), ('offline' + "`t" + 'Cut the connection of a paired device'), ('online' + "`t" + 'Bring a device back that went offline'), ('takeover' + "`t" + 'Let another session take the place of a device'), ('block' + "`t" + 'Let the messaging app block the number of a device'), ('unblock' + "`t" + 'Let the messaging app unblock the number of a device') }
        'sandbox key' { ('create' + "`t" + 'Create an API key, as the platform does outside the API'), ('deactivate' + "`t" + 'Deactivate an API key, as the platform does outside the API') }
        'sandbox clock' { ('advance' + "`t" + 'Set the running sandbox''s clock forward'), ('set' + "`t" + 'Set the running sandbox''s clock to a later time'), ('freeze' + "`t" + 'Stop the running sandbox''s clock'), ('resume' + "`t" + 'Let the running sandbox''s clock go on') }
        'sandbox fault' { ('add' + "`t" + 'Let calls of the running sandbox fail on purpose'), ('list' + "`t" + 'List the faults of the running sandbox, in the order in which they are asked'), ('ls' + "`t" + 'The same as list'), ('clear' + "`t" + 'Remove faults of the running sandbox, or all of them') }
        'help profiles' { ('list' + "`t" + 'List the profiles on this machine'), ('ls' + "`t" + 'The same as list'), ('show' + "`t" + 'Show one profile with its settings'), ('get' + "`t" + 'The same as show'), ('use' + "`t" + 'Make a profile the current one'), ('set' + "`t" + 'Change how the service of a profile is called'), ('rename' + "`t" + 'Give a profile another name'), ('remove' + "`t" + 'Remove a profile from this machine'), ('rm' + "`t" + 'The same as remove') }
        'help keys' { ('create' + "`t" + 'Create an API key'), ('list' + "`t" + 'List API keys'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show an API key, without its secret'), ('show' + "`t" + 'The same as get'), ('rotate' + "`t" + 'Put a new API key in the place of the one in use'), ('delete' + "`t" + 'Delete an API key for good'), ('rm' + "`t" + 'The same as delete') }
        'help teams' { ('create' + "`t" + 'Create a team and its administrator'), ('list' + "`t" + 'List teams'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a team with its quotas and settings'), ('show' + "`t" + 'The same as get'), ('overview' + "`t" + 'Show a team with what it has and what it may have'), ('update' + "`t" + 'Change a team') }
        'help tenants' { ('init' + "`t" + 'Write an example of a tenant, to begin with'), ('validate' + "`t" + 'Check files of tenants'), ('schema' + "`t" + 'Print the JSON Schema of files of tenants'), ('plan' + "`t" + 'Show what would make tenants as their files say'), ('apply' + "`t" + 'Make tenants as their files say'), ('export' + "`t" + 'Write teams that are there as files of tenants, with their lock'), ('show' + "`t" + 'List what the lock knows: each address with its id'), ('import' + "`t" + 'Say which object of the service an address is'), ('forget' + "`t" + 'Take an object out of the lock, and leave it in the service'), ('rebind' + "`t" + 'Use the lock with another address of its service') }
        'help bots' { ('questions' + "`t" + 'Add, list and remove the questions that a bot answers'), ('actions' + "`t" + 'Add, list and remove the HTTP actions of a bot'), ('documents' + "`t" + 'Add, list and remove the documents that a bot knows'), ('create' + "`t" + 'Create a bot'), ('list' + "`t" + 'List bots'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a bot with its questions, actions and documents'), ('show' + "`t" + 'The same as get'), ('update' + "`t" + 'Change a bot'), ('edit' + "`t" + 'Change a bot in your editor'), ('diff' + "`t" + 'Show what a file would change about a bot'), ('delete' + "`t" + 'Delete a bot, its assistant and its document links'), ('rm' + "`t" + 'The same as delete') }
        'help bots questions' { ('add' + "`t" + 'Teach a bot one answer more'), ('list' + "`t" + 'List what a bot has been taught to answer'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Take questions away from a bot'), ('rm' + "`t" + 'The same as remove') }
        'help bots actions' { ('add' + "`t" + 'Give a bot one HTTP action more'), ('list' + "`t" + 'List the HTTP actions of a bot'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Take HTTP actions away from a bot'), ('rm' + "`t" + 'The same as remove') }
        'help bots documents' { ('add' + "`t" + 'Attach documents to a bot'), ('list' + "`t" + 'List the documents that are attached to a bot'), ('ls' + "`t" + 'The same as list'), ('remove' + "`t" + 'Detach documents from a bot'), ('rm' + "`t" + 'The same as remove') }
        'help docs' { ('upload' + "`t" + 'Upload documents'), ('sync' + "`t" + 'Bring a folder into a team'), ('count' + "`t" + 'Count the characters of files'), ('list' + "`t" + 'List documents'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a document'), ('show' + "`t" + 'The same as get'), ('rename' + "`t" + 'Rename a document') }
        'help device' { ('create' + "`t" + 'Create a device for a bot'), ('connect' + "`t" + 'Connect a device, and pair it by the QR code in the terminal'), ('pair' + "`t" + 'The same as connect'), ('status' + "`t" + 'Show the state of devices, or watch them'), ('show' + "`t" + 'The same as status'), ('history' + "`t" + 'List what this machine saw of a device: pairings, losses, refusals'), ('repair' + "`t" + 'Restart a device whose state makes no sense'), ('disconnect' + "`t" + 'Stop a device and detach it from the platform'), ('list' + "`t" + 'List the devices that this machine knows of'), ('ls' + "`t" + 'The same as list'), ('add' + "`t" + 'Note a device in the device book, by its id'), ('forget' + "`t" + 'Take devices out of the device book; the devices themselves stay'), ('export' + "`t" + 'Print the devices of the device book for another machine'), ('import' + "`t" + 'Take in the devices that device export printed elsewhere') }
        'help campaigns' { ('create' + "`t" + 'Make a campaign: a message for each row of a list, checked and frozen'), ('list' + "`t" + 'List the campaigns for the service, on this machine or in the database'), ('ls' + "`t" + 'The same as list'), ('get' + "`t" + 'Show a campaign: its devices, how many rows it has, its first and last message'), ('show' + "`t" + 'The same as get'), ('add' + "`t" + 'Add rows to a campaign: those of a list whose numbers it does not have yet'), ('test' + "`t" + 'Send one message as a campaign would, to a number of your own'), ('run' + "`t" + 'Send what campaigns have planned, each message at most once'), ('results' + "`t" + 'Print the rows of a campaign with all their columns, and how each stands'), ('settle' + "`t" + 'Say what became of messages whose answer was lost, after a look at the phone'), ('pause' + "`t" + 'Pause a campaign: whatever sends it ends before its next message'), ('cancel' + "`t" + 'Cancel a campaign for good: what is left of it is never sent'), ('delete' + "`t" + 'Delete a campaign with its numbers, its texts and what came of them'), ('rm' + "`t" + 'The same as delete'), ('remove' + "`t" + 'The same as delete'), ('migrate' + "`t" + 'Move campaigns and opt-outs to the current storage') }
        'help optouts' { ('add' + "`t" + 'Note that a number is not to be written to'), ('remove' + "`t" + 'Take a number off the list of those that are not to be written to'), ('rm' + "`t" + 'The same as remove'), ('delete' + "`t" + 'The same as remove'), ('list' + "`t" + 'List the numbers that are not to be written to'), ('ls' + "`t" + 'The same as list'), ('import' + "`t" + 'Note the numbers of a list, none of which is to be written to') }
        'help sandbox' { ('phone' + "`t" + 'Scan codes with the simulated phone, and see what may happen to a device'), ('key' + "`t" + 'Deactivate an API key of the sandbox'), ('clock' + "`t" + 'Set the clock of the sandbox, stop it, let it go on'), ('fault' + "`t" + 'Let calls of the sandbox fail on purpose'), ('start' + "`t" + 'Run the whole service on this machine until Ctrl-C, or in the background'), ('run' + "`t" + 'Run a command with a sandbox of its own'), ('status' + "`t" + 'Show the sandbox that runs: where it is, its time, how much it holds'), ('stop' + "`t" + 'End the running sandbox'), ('reset' + "`t" + 'Empty the running sandbox'), ('seed' + "`t" + 'Fill the running sandbox with teams, bots and documents'), ('publish' + "`t" + 'Publish a bot, as the platform does outside the API'), ('behave' + "`t" + 'Let the running sandbox do otherwise what the specification leaves open'), ('log' + "`t" + 'Show the requests that the running sandbox met'), ('messages' + "`t" + 'Show the messages that the network of the running sandbox took'), ('openapi' + "`t" + 'Print the API as an OpenAPI 3.1 document'), ('migrate' + "`t" + 'Migrate a database of an earlier botctl') }
        'help sandbox phone' { ('scan' + "`t" + 'Hold a picture of a QR code before the simulated phone'), ('unlink' + "`t" + 'Remove a device from the linked devices of its phone'), ('offline' + "`t" + 'Cut the connection of a paired device'), ('online' + "`t" + 'Bring a device back that went offline'), ('takeover' + "`t" + 'Let another session take the place of a device'), ('block' + "`t" + 'Let the messaging app block the number of a device'), ('unblock' + "`t" + 'Let the messaging app unblock the number of a device') }
        'help sandbox key' { ('create' + "`t" + 'Create an API key, as the platform does outside the API'), ('deactivate' + "`t" + 'Deactivate an API key, as the platform does outside the API') }
        'help sandbox clock' { ('advance' + "`t" + 'Set the running sandbox''s clock forward'), ('set' + "`t" + 'Set the running sandbox''s clock to a later time'), ('freeze' + "`t" + 'Stop the running sandbox''s clock'), ('resume' + "`t" + 'Let the running sandbox''s clock go on') }
        'help sandbox fault' { ('add' + "`t" + 'Let calls of the running sandbox fail on purpose'), ('list' + "`t" + 'List the faults of the running sandbox, in the order in which they are asked'), ('ls' + "`t" + 'The same as list'), ('clear' + "`t" + 'Remove faults of the running sandbox, or all of them') }
        'help' { ('login' + "`t" + 'Store an API key as a profile'), ('logout' + "`t" + 'Forget the API key of a profile'), ('whoami' + "`t" + 'Show who you are, and where that came from'), ('profiles' + "`t" + 'List, choose, change, rename and remove profiles'), ('token' + "`t" + 'Print a valid access token for a script'), ('doctor' + "`t" + 'Look for what is wrong, and say what to do about it'), ('completion' + "`t" + 'Print the completion script of a shell'), ('keys' + "`t" + 'Create, list, show, rotate and delete API keys'), ('teams' + "`t" + 'Create, list, show and update teams'), ('tenants' + "`t" + 'Keep teams and what is in them as files'), ('bots' + "`t" + 'Create, list, show, update and delete bots'), ('docs' + "`t" + 'Upload, list, show and rename knowledge documents'), ('api' + "`t" + 'Call any endpoint, and print its answer as it comes'), ('device' + "`t" + 'Create, pair, watch and disconnect messaging devices'), ('send' + "`t" + 'Send a message through a paired device'), ('campaigns' + "`t" + 'Make and send messages for the rows of a list'), ('optouts' + "`t" + 'Keep the numbers that are not to be written to'), ('sandbox' + "`t" + 'Run the whole service on this machine'), ('tour' + "`t" + 'See the main job done from start to end on a sandbox'), ('options' + "`t" + 'the options that every command takes'), ('output' + "`t" + 'formats, fields and streams, for people and for scripts'), ('exit-codes' + "`t" + 'what each exit code means'), ('environment' + "`t" + 'the variables that botctl reads'), ('files' + "`t" + 'what botctl keeps on this machine, and where'), ('install' + "`t" + 'completions, optional packages'), ('names' + "`t" + 'names in the place of ids, and what a slip gets'), ('numbers' + "`t" + 'how phone numbers are written and compared'), ('counting' + "`t" + 'how the characters of documents are counted, and of which files'), ('uploading' + "`t" + 'how files become documents, each once, whatever happens'), ('syncing' + "`t" + 'how a folder is brought into a team'), ('recipients' + "`t" + 'lists of recipients, their numbers and their messages'), ('sending' + "`t" + 'how fast campaigns are sent, and what is known of each message'), ('changes' + "`t" + 'what is sent, and what is asked before it'), ('tenant-files' + "`t" + 'whole tenants as files: their form, variables, many alike'), ('tenants-ci' + "`t" + 'tenants planned and applied by GitHub Actions and GitLab CI'), ('scripts' + "`t" + 'what a script or a CI job has to know'), ('pairing' + "`t" + 'the pairing screen, its keys, its events, and what helps'), ('secrets' + "`t" + 'where secrets go, and the other safeguards'), ('rehearsing' + "`t" + 'the sandbox, its phone, and the states of a device'), ('operating' + "`t" + 'the sandbox as a service for others: proxy, health, metrics'), ('specification' + "`t" + 'what the service leaves open, and what is done about it'), ('identity' + "`t" + 'profiles, protection, and another key') }
    }
}

# The options that may follow a command: option, tab, what it means.
function __BotctlFlags([string]$trail) {
    switch -CaseSensitive ($trail) {
        'login' { ('--key-id' + "`t" + 'id of the key'), ('--key-secret-stdin' + "`t" + 'read the secret of the key from stdin'), ('--key-secret-file' + "`t" + 'read the secret of the key from a file') }
        'token' { ('--force' + "`t" + 'print it even where people can see it') }
        'doctor' { ('--bundle' + "`t" + 'write a report without secrets to this file, as JSON'), ('--learn' + "`t" + 'find out how this service chose what the specification leaves open'), ('--save' + "`t" + 'with --learn: store in the profile what lists are called by, after a question'), ('--report' + "`t" + 'with --learn: write a page for who runs the service, as Markdown'), ('--max-requests' + "`t" + 'with --learn: requests to make at most (80 where not given)'), ('--resume' + "`t" + 'with --learn: go on with what an earlier run learned') }
        'api' { ('--query' + "`t" + 'add to the query'), ('--set' + "`t" + 'set a member of the JSON body'), ('--set-string' + "`t" + 'the same, always as text'), ('--set-file' + "`t" + 'the same, the text of a file'), ('--body' + "`t" + 'send this JSON as it is; - reads stdin'), ('--file' + "`t" + 'upload as a form; --set gives its other fields'), ('--paginate' + "`t" + 'read every page of a list, as one array or with -o ndjson row by row'), ('--include' + "`t" + 'print status and headers before the body'), ('--dry-run' + "`t" + 'call nothing; print the call as a curl line with the token as $TOKEN') }
        'send' { ('--device' + "`t" + 'device to send through, by name or id'), ('--to' + "`t" + 'phone number with its country code'), ('--message' + "`t" + 'what to send'), ('--message-file' + "`t" + 'send the text of a file; - reads stdin'), ('--send-as-audio' + "`t" + 'turn the text into audio first'), ('--no-send-as-audio' + "`t" + 'send the text as text'), ('--ai-generates-message' + "`t" + 'let the AI write a personal message'), ('--image-url' + "`t" + 'address of an image to send along'), ('--image-mime-type' + "`t" + 'type of the image, such as image/jpeg') }
        'tour' { ('--keep' + "`t" + 'stay in the foreground with the sandbox and a profile for it until Ctrl-C') }
        'profiles list' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'profiles ls' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'profiles set' { ('--protect' + "`t" + 'ask before anything is changed, destroyed or sent'), ('--no-protect' + "`t" + 'ask no longer before that'), ('--page-size' + "`t" + 'items per page'), ('--first-page' + "`t" + 'what the service calls the first page: 0 or 1'), ('--query-name' + "`t" + 'what the service calls it'), ('--qr' + "`t" + 'how to draw codes from now on, where --qr and BOTCTL_QR do not say'), ('--database' + "`t" + 'where campaigns and opt-outs are, where --database and BOTCTL_DATABASE do not say: a PostgreSQL 15 or newer'), ('--unset' + "`t" + 'back to what botctl does by itself') }
        'keys create' { ('--name' + "`t" + 'name of the key'), ('--expires' + "`t" + 'when it ends: a date (from its first moment, UTC), a time, or a duration such as 90d'), ('--secret-file' + "`t" + 'write the secret to this file, mode 0600'), ('--show-secret' + "`t" + 'print the secret with the result') }
        'keys list' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'keys ls' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'keys rotate' { ('--name' + "`t" + 'name of the new key, before "(rotated …)"; that of the old one if not given'), ('--expires' + "`t" + 'when it ends: a date (from its first moment, UTC), a time, or a duration such as 90d'), ('--secret-file' + "`t" + 'write the new secret to this file, mode 0600'), ('--show-secret' + "`t" + 'print the new secret with the result'), ('--keep-old' + "`t" + 'leave the old key for now; --finish deletes it later'), ('--finish' + "`t" + 'delete the old key that --keep-old or a failing --then has left'), ('--then' + "`t" + 'a shell command that reads the new secret from stdin, before the old key goes') }
        'keys delete' { ('--confirm' + "`t" + 'confirm by the name or id') }
        'keys rm' { ('--confirm' + "`t" + 'confirm by the name or id') }
        'teams create' { ('--name' + "`t" + 'name of the team'), ('--plan' + "`t" + 'name of its plan'), ('--admin-name' + "`t" + 'name of its administrator'), ('--admin-email' + "`t" + 'e-mail address of the administrator'), ('--admin-phone' + "`t" + 'phone of the administrator, with country code'), ('--quota' + "`t" + 'a quota: bots, accounts, characters, documents, members, credits'), ('--if-absent' + "`t" + 'create none if one of exactly that name is there, and give that one') }
        'teams list' { ('--name' + "`t" + 'only teams with this in their name'), ('--paying' + "`t" + 'only teams that pay'), ('--no-paying' + "`t" + 'only teams that do not pay'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'teams ls' { ('--name' + "`t" + 'only teams with this in their name'), ('--paying' + "`t" + 'only teams that pay'), ('--no-paying' + "`t" + 'only teams that do not pay'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'teams update' { ('--name' + "`t" + 'new name'), ('--plan' + "`t" + 'name of its plan'), ('--paying' + "`t" + 'mark it as paying'), ('--no-paying' + "`t" + 'mark it as not paying'), ('--ban' + "`t" + 'ban it'), ('--unban' + "`t" + 'lift its ban'), ('--quota' + "`t" + 'a quota, or by how much it changes (bots=+5, bots=-2): bots, accounts, characters, documents, members, credits') }
        'tenants validate' { ('--var' + "`t" + 'value of a ${var:name} in the files'), ('--vars' + "`t" + 'read such values from a YAML or JSON file'), ('--each' + "`t" + 'make a tenant of each row of a CSV file; its columns are variables') }
        'tenants plan' { ('--var' + "`t" + 'value of a ${var:name} in the files'), ('--vars' + "`t" + 'read such values from a YAML or JSON file'), ('--each' + "`t" + 'make a tenant of each row of a CSV file; its columns are variables'), ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out'), ('--target' + "`t" + 'only this tenant, or this object of one: aurora/bots/front-desk'), ('--prune' + "`t" + 'delete the bots that the lock owns and the files no longer name; needs all the files'), ('--check' + "`t" + 'end with 11 where anything would change, or has changed in the service'), ('--check-drift' + "`t" + 'end with 11 only if the service was changed since the last apply, whatever else the plan says'), ('--out' + "`t" + 'write the plan too, for tenants apply --plan; mode 0600, without a secret'), ('--max-bytes' + "`t" + 'length of -o markdown') }
        'tenants apply' { ('--var' + "`t" + 'value of a ${var:name} in the files'), ('--vars' + "`t" + 'read such values from a YAML or JSON file'), ('--each' + "`t" + 'make a tenant of each row of a CSV file; its columns are variables'), ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out'), ('--target' + "`t" + 'only this tenant, or this object of one: aurora/bots/front-desk'), ('--prune' + "`t" + 'delete the bots that the lock owns and the files no longer name; needs all the files'), ('--plan' + "`t" + 'carry out exactly this plan, which tenants plan --out wrote; it names the files, and all the rest'), ('--secrets-file' + "`t" + 'add the tokens of new devices to this file, a line of JSON for each, mode 0600'), ('--discard-tokens' + "`t" + 'keep the tokens of new devices nowhere; pairing and sending need none'), ('--assume-current' + "`t" + 'take unverified secrets for those in use: record them without sending them'), ('--concurrency' + "`t" + 'tenants at the same time'), ('--lock-timeout' + "`t" + 'wait so long for another apply of the lock (0s)'), ('--settle' + "`t" + 'how long a create whose answer was lost may still take effect (60s)') }
        'tenants export' { ('--all' + "`t" + 'every team'), ('--out' + "`t" + 'folder of the files'), ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out') }
        'tenants show' { ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out') }
        'tenants import' { ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out') }
        'tenants forget' { ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out') }
        'tenants rebind' { ('--lock' + "`t" + 'the lock; tenants.lock.json beside the files if left out') }
        'bots create' { ('--team' + "`t" + 'team that owns the bot, by name or id; may stand in the file'), ('--name' + "`t" + 'name of the bot; may stand in the file'), ('--file' + "`t" + 'read the fields from a YAML or JSON file; - reads stdin'), ('--instructions' + "`t" + 'what the bot is told to do'), ('--instructions-file' + "`t" + 'the same from a text file; - reads stdin'), ('--role' + "`t" + 'what the bot is for'), ('--description' + "`t" + 'what people read about the bot'), ('--temperature' + "`t" + 'how freely it answers, 0 to 2'), ('--identification-name' + "`t" + 'the name it introduces itself with'), ('--document' + "`t" + 'attach a document, by name or id'), ('--question' + "`t" + 'teach it an answer'), ('--action' + "`t" + 'give it an HTTP action, as JSON'), ('--action-file' + "`t" + 'the same from a file; - reads stdin'), ('--allow-human' + "`t" + 'let a person take over the conversation'), ('--no-allow-human' + "`t" + 'leave every conversation to the bot'), ('--use-audio-responses' + "`t" + 'answer with audio'), ('--no-use-audio-responses' + "`t" + 'answer with text'), ('--allow-user-audio-requests' + "`t" + 'accept audio from users'), ('--no-allow-user-audio-requests' + "`t" + 'refuse audio from users'), ('--capture-payments' + "`t" + 'recognise payments'), ('--no-capture-payments' + "`t" + 'do not look for payments'), ('--break-lines' + "`t" + 'split long answers into several messages'), ('--no-break-lines' + "`t" + 'send each answer as one message'), ('--if-absent' + "`t" + 'create none if one of exactly that name is there, and give that one') }
        'bots list' { ('--team' + "`t" + 'only bots of this team, by name or id'), ('--name' + "`t" + 'only bots with this in their name'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'bots ls' { ('--team' + "`t" + 'only bots of this team, by name or id'), ('--name' + "`t" + 'only bots with this in their name'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'bots get' { ('--team' + "`t" + 'team to look for the name in, by name or id'), ('--editable' + "`t" + 'only what can be written, as YAML: what --file, edit and diff take') }
        'bots show' { ('--team' + "`t" + 'team to look for the name in, by name or id'), ('--editable' + "`t" + 'only what can be written, as YAML: what --file, edit and diff take') }
        'bots update' { ('--team' + "`t" + 'team to look for the name in, by name or id'), ('--name' + "`t" + 'new name'), ('--file' + "`t" + 'read the fields from a YAML or JSON file; - reads stdin'), ('--instructions' + "`t" + 'what the bot is told to do'), ('--instructions-file' + "`t" + 'the same from a text file; - reads stdin'), ('--role' + "`t" + 'what the bot is for'), ('--description' + "`t" + 'what people read about the bot'), ('--temperature' + "`t" + 'how freely it answers, 0 to 2'), ('--identification-name' + "`t" + 'the name it introduces itself with'), ('--document' + "`t" + 'attach a document, by name or id'), ('--question' + "`t" + 'teach it an answer'), ('--action' + "`t" + 'give it an HTTP action, as JSON'), ('--action-file' + "`t" + 'the same from a file; - reads stdin'), ('--allow-human' + "`t" + 'let a person take over the conversation'), ('--no-allow-human' + "`t" + 'leave every conversation to the bot'), ('--use-audio-responses' + "`t" + 'answer with audio'), ('--no-use-audio-responses' + "`t" + 'answer with text'), ('--allow-user-audio-requests' + "`t" + 'accept audio from users'), ('--no-allow-user-audio-requests' + "`t" + 'refuse audio from users'), ('--capture-payments' + "`t" + 'recognise payments'), ('--no-capture-payments' + "`t" + 'do not look for payments'), ('--break-lines' + "`t" + 'split long answers into several messages'), ('--no-break-lines' + "`t" + 'send each answer as one message') }
        'bots edit' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots diff' { ('--file' + "`t" + 'read the fields from a YAML or JSON file; - reads stdin'), ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots delete' { ('--team' + "`t" + 'team to look for the name in, by name or id'), ('--confirm' + "`t" + 'confirm by the name or id') }
        'bots rm' { ('--team' + "`t" + 'team to look for the name in, by name or id'), ('--confirm' + "`t" + 'confirm by the name or id') }
        'bots questions add' { ('--question' + "`t" + 'what people ask'), ('--answer' + "`t" + 'what the bot answers'), ('--replace' + "`t" + 'give a question that is there this answer instead'), ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots questions list' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots questions ls' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots questions remove' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots questions rm' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots actions add' { ('--action' + "`t" + 'the action, as JSON'), ('--action-file' + "`t" + 'the same from a file; - reads stdin'), ('--replace' + "`t" + 'put it in the place of one with the same name'), ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots actions list' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots actions ls' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots actions remove' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots actions rm' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots documents add' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots documents list' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots documents ls' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots documents remove' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'bots documents rm' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'docs upload' { ('--team' + "`t" + 'team that the document belongs to, by name or id'), ('--name' + "`t" + 'name of the document (the file''s own where not given)'), ('--chars' + "`t" + 'its number of characters; the file is not looked into'), ('--name-by' + "`t" + 'name documents by the name of the file, or by its path below the folder'), ('--include' + "`t" + 'only files of these names, or paths below the folder'), ('--exclude' + "`t" + 'no files or folders of these names'), ('--as-text' + "`t" + 'take files of these names for text too, such as "*.csv"'), ('--count-mode' + "`t" + 'collapsed counts a run of white space as one; raw each, as wc -m does'), ('--fail-empty-pages' + "`t" + 'refuse a PDF if more of its pages than that have no text, such as 20%'), ('--password-stdin' + "`t" + 'read the password of encrypted PDF files from stdin'), ('--concurrency' + "`t" + 'files that are sent at the same time (3)'), ('--settle' + "`t" + 'how long an upload whose answer was lost may still take effect (60s)'), ('--retry-unknown' + "`t" + 'send also what an earlier upload may have stored under other figures'), ('--if-absent' + "`t" + 'create none if one of exactly that name is there, and give that one'), ('--max-new' + "`t" + 'send nothing if more than that is new (50 where nobody can be asked, for several files)'), ('--dry-run' + "`t" + 'send nothing; print what would be done with each file') }
        'docs sync' { ('--team' + "`t" + 'team that the documents belong to, by name or id'), ('--check' + "`t" + 'change nothing; end with 11 where something differs'), ('--attach' + "`t" + 'give a bot the documents, by name or id'), ('--detach-removed' + "`t" + 'take the documents of files that are gone away from those bots'), ('--ledger' + "`t" + 'the ledger (.botctl-docs.json beside the folder)'), ('--include' + "`t" + 'only files of these names, or paths below the folder'), ('--exclude' + "`t" + 'no files or folders of these names'), ('--as-text' + "`t" + 'take files of these names for text too, such as "*.csv"'), ('--count-mode' + "`t" + 'collapsed counts a run of white space as one; raw each, as wc -m does'), ('--fail-empty-pages' + "`t" + 'refuse a PDF if more of its pages than that have no text, such as 20%'), ('--password-stdin' + "`t" + 'read the password of encrypted PDF files from stdin'), ('--max-new' + "`t" + 'send nothing if more than that is to be sent (50 where nobody can be asked)'), ('--name-by' + "`t" + 'name documents by the name of the file, or by its path below the folder'), ('--checksum' + "`t" + 'read every file again (done anyway)'), ('--retry-refused' + "`t" + 'try again what was refused before'), ('--retire' + "`t" + 'rename a document that another one took the place of (done anyway)'), ('--no-retire' + "`t" + 'leave its name to a document that another one took the place of'), ('--retire-as' + "`t" + 'what it is called then ("{name} (until {date})")'), ('--concurrency' + "`t" + 'files that are sent at the same time (3)'), ('--settle' + "`t" + 'how long an upload whose answer was lost may still take effect (60s)'), ('--retry-unknown' + "`t" + 'send also what an earlier upload may have stored under other figures') }
        'docs count' { ('--include' + "`t" + 'only files of these names, or paths below the folder'), ('--exclude' + "`t" + 'no files or folders of these names'), ('--as-text' + "`t" + 'take files of these names for text too, such as "*.csv"'), ('--count-mode' + "`t" + 'collapsed counts a run of white space as one; raw each, as wc -m does'), ('--fail-empty-pages' + "`t" + 'refuse a PDF if more of its pages than that have no text, such as 20%'), ('--password-stdin' + "`t" + 'read the password of encrypted PDF files from stdin'), ('--pages' + "`t" + 'a row for each page of a PDF') }
        'docs list' { ('--team' + "`t" + 'only documents of this team, by name or id'), ('--name' + "`t" + 'only documents with this in their name'), ('--type' + "`t" + 'only documents of this type'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'docs ls' { ('--team' + "`t" + 'only documents of this team, by name or id'), ('--name' + "`t" + 'only documents with this in their name'), ('--type' + "`t" + 'only documents of this type'), ('--page' + "`t" + 'show this page only'), ('--per-page' + "`t" + 'rows on a page, 1 to 100; on a terminal also the rows to show'), ('--limit' + "`t" + 'rows to show in all (on a terminal 50 where not given, elsewhere every row)'), ('--all' + "`t" + 'show every row, on a terminal too'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'docs get' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'docs show' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'docs rename' { ('--team' + "`t" + 'team to look for the name in, by name or id') }
        'device create' { ('--team' + "`t" + 'team that the device belongs to, by name or id'), ('--bot' + "`t" + 'bot that answers on it, by name or id'), ('--name' + "`t" + 'name of the device'), ('--secret-file' + "`t" + 'write the device token to this file, mode 0600'), ('--show-token' + "`t" + 'print the device token with the result'), ('--discard-token' + "`t" + 'keep the device token nowhere; pairing and sending need none'), ('--if-absent' + "`t" + 'create none if the device book has one of exactly that name in that team, and give that one') }
        'device connect' { ('--wait' + "`t" + 'wait until the device is paired'), ('--no-wait' + "`t" + 'return at once'), ('--timeout' + "`t" + 'give up waiting after this long (15m)'), ('--rounds' + "`t" + 'how many further rounds of codes to ask for when all have expired (3)'), ('--repair' + "`t" + 'where only a repair helps, do it without asking: see device repair'), ('--expect' + "`t" + 'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"'), ('--bell' + "`t" + 'ring the bell of the terminal when a phone has scanned, and at the end'), ('--qr' + "`t" + 'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines'), ('--no-qr' + "`t" + 'draw nothing: tell each change in a plain line'), ('--qr-invert' + "`t" + 'exchange black and white, for a light background without colours'), ('--qr-file' + "`t" + 'keep the picture of the current code in this file, readable only by you, while the command waits'), ('--qr-web' + "`t" + 'show the code on a web page that only this machine reaches, while the command waits'), ('--reveal-qr' + "`t" + 'print the code itself, with which anybody can take the device over') }
        'device pair' { ('--wait' + "`t" + 'wait until the device is paired'), ('--no-wait' + "`t" + 'return at once'), ('--timeout' + "`t" + 'give up waiting after this long (15m)'), ('--rounds' + "`t" + 'how many further rounds of codes to ask for when all have expired (3)'), ('--repair' + "`t" + 'where only a repair helps, do it without asking: see device repair'), ('--expect' + "`t" + 'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"'), ('--bell' + "`t" + 'ring the bell of the terminal when a phone has scanned, and at the end'), ('--qr' + "`t" + 'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines'), ('--no-qr' + "`t" + 'draw nothing: tell each change in a plain line'), ('--qr-invert' + "`t" + 'exchange black and white, for a light background without colours'), ('--qr-file' + "`t" + 'keep the picture of the current code in this file, readable only by you, while the command waits'), ('--qr-web' + "`t" + 'show the code on a web page that only this machine reaches, while the command waits'), ('--reveal-qr' + "`t" + 'print the code itself, with which anybody can take the device over') }
        'device status' { ('--all' + "`t" + 'every device of the device book'), ('--watch' + "`t" + 'show each change'), ('--until' + "`t" + 'watch until all are in this state; one device alone: ready'), ('--timeout' + "`t" + 'stop watching after this long'), ('--expect' + "`t" + 'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"'), ('--bell' + "`t" + 'ring the bell of the terminal when a phone has scanned, and at the end'), ('--qr' + "`t" + 'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines'), ('--no-qr' + "`t" + 'draw nothing: tell each change in a plain line'), ('--qr-invert' + "`t" + 'exchange black and white, for a light background without colours'), ('--qr-file' + "`t" + 'keep the picture of the current code in this file, readable only by you, while the command waits'), ('--qr-web' + "`t" + 'show the code on a web page that only this machine reaches, while the command waits'), ('--reveal-qr' + "`t" + 'print the code itself, with which anybody can take the device over') }
        'device show' { ('--all' + "`t" + 'every device of the device book'), ('--watch' + "`t" + 'show each change'), ('--until' + "`t" + 'watch until all are in this state; one device alone: ready'), ('--timeout' + "`t" + 'stop watching after this long'), ('--expect' + "`t" + 'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"'), ('--bell' + "`t" + 'ring the bell of the terminal when a phone has scanned, and at the end'), ('--qr' + "`t" + 'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines'), ('--no-qr' + "`t" + 'draw nothing: tell each change in a plain line'), ('--qr-invert' + "`t" + 'exchange black and white, for a light background without colours'), ('--qr-file' + "`t" + 'keep the picture of the current code in this file, readable only by you, while the command waits'), ('--qr-web' + "`t" + 'show the code on a web page that only this machine reaches, while the command waits'), ('--reveal-qr' + "`t" + 'print the code itself, with which anybody can take the device over') }
        'device history' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'device repair' { ('--force' + "`t" + 'do it also where waiting is better, or nothing is wrong'), ('--wait' + "`t" + 'wait until the device is paired'), ('--no-wait' + "`t" + 'return once there is a new code'), ('--timeout' + "`t" + 'give up waiting after this long (15m)'), ('--expect' + "`t" + 'fail unless this phone number is the one that was paired; a name may follow it: "+55 … (Store manager)"'), ('--bell' + "`t" + 'ring the bell of the terminal when a phone has scanned, and at the end'), ('--qr' + "`t" + 'how to draw the code (auto); sextants are finest, for newer terminals without gaps between lines'), ('--no-qr' + "`t" + 'draw nothing: tell each change in a plain line'), ('--qr-invert' + "`t" + 'exchange black and white, for a light background without colours'), ('--qr-file' + "`t" + 'keep the picture of the current code in this file, readable only by you, while the command waits'), ('--qr-web' + "`t" + 'show the code on a web page that only this machine reaches, while the command waits'), ('--reveal-qr' + "`t" + 'print the code itself, with which anybody can take the device over') }
        'device list' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'device ls' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text') }
        'device add' { ('--name' + "`t" + 'what to call it here'), ('--team' + "`t" + 'team that it belongs to, by name or id'), ('--bot' + "`t" + 'bot that answers on it, by name or id'), ('--offline' + "`t" + 'do not ask the service; --team and --bot have to be ids then') }
        'device forget' { ('--gone' + "`t" + 'every device of the book that the service doesn''t have') }
        'campaigns create' { ('--recipients' + "`t" + 'CSV or NDJSON with a row for each; - for stdin'), ('--to-column' + "`t" + 'column with the phone numbers, where its name does not tell'), ('--skip-invalid' + "`t" + 'leave out rows with something wrong, and say which'), ('--limit' + "`t" + 'plan so many rows at the most, and leave the rest of the file'), ('--dry-run' + "`t" + 'check and show everything, and write nothing'), ('--key-column' + "`t" + 'column that tells a row from every other one'), ('--device' + "`t" + 'device to send through, by name or id; several take rows in turn'), ('--message' + "`t" + 'the message; {{ name }} stands for the column called so'), ('--message-file' + "`t" + 'take the message from a file; - reads stdin'), ('--send-as-audio' + "`t" + 'turn the text into audio first'), ('--no-send-as-audio' + "`t" + 'send the text as text'), ('--ai-generates-message' + "`t" + 'let the AI write a personal message'), ('--image-url' + "`t" + 'address of an image to send along'), ('--image-mime-type' + "`t" + 'type of the image, such as image/jpeg'), ('--gap' + "`t" + 'pause between two messages of a device (6s..15s)'), ('--daily' + "`t" + 'messages of a device in a day, at the most'), ('--warm-up' + "`t" + 'the same for its first days, such as 20,50,100,200; the last stays'), ('--window' + "`t" + 'send only then, such as "mon-fri 09:00-18:00"; several: in any of them'), ('--tz' + "`t" + 'zone of those days and times, such as America/Sao_Paulo (that of the machine)'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns list' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns ls' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns get' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns show' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns add' { ('--recipients' + "`t" + 'CSV or NDJSON with a row for each; - for stdin'), ('--to-column' + "`t" + 'column with the phone numbers, where its name does not tell'), ('--skip-invalid' + "`t" + 'leave out rows with something wrong, and say which'), ('--limit' + "`t" + 'plan so many rows at the most, and leave the rest of the file'), ('--dry-run' + "`t" + 'check and show everything, and write nothing'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns test' { ('--to' + "`t" + 'phone number that gets it, with its country code'), ('--row' + "`t" + 'the row whose message it is, as campaigns results numbers them (the first one that is planned)'), ('--device' + "`t" + 'device of the campaign to send through, by name or id (that of the row)'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns run' { ('--wait' + "`t" + 'stay where nothing may go before a window, a new day or a repair'), ('--retry' + "`t" + 'send again what was rejected'), ('--retry-unknown' + "`t" + 'send again what may have been sent: some get it twice; needs --confirm'), ('--resume' + "`t" + 'let a campaign go on that somebody has paused'), ('--accept-number' + "`t" + 'go on where a device has this number now'), ('--accept-failover' + "`t" + 'go on in a database where a standby took over, or a backup was brought back'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns results' { ('--state' + "`t" + 'only rows in this state'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns settle' { ('--accepted' + "`t" + 'the messages are on the phone'), ('--not-sent' + "`t" + 'they are not: they may be sent'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns pause' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns cancel' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'campaigns delete' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name'), ('--confirm' + "`t" + 'confirm by the name or id') }
        'campaigns rm' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name'), ('--confirm' + "`t" + 'confirm by the name or id') }
        'campaigns remove' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name'), ('--confirm' + "`t" + 'confirm by the name or id') }
        'campaigns migrate' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts add' { ('--note' + "`t" + 'where that comes from'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts remove' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts rm' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts delete' { ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts list' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts ls' { ('--limit' + "`t" + 'rows to show in all (every row where not given)'), ('--sort' + "`t" + 'order all rows by a field; field:desc turns the order round'), ('--where' + "`t" + 'only rows with exactly this value; != for the others, ~ for a part of a text'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'optouts import' { ('--local' + "`t" + 'bring those over that are in files of this machine, into the database'), ('--to-column' + "`t" + 'column with the phone numbers, where its name does not tell'), ('--note' + "`t" + 'where that comes from'), ('--skip-invalid' + "`t" + 'leave out rows with something wrong, and say which'), ('--database' + "`t" + 'where campaigns and opt-outs are: a PostgreSQL 15 or newer, such as postgres://ana@host/name') }
        'sandbox start' { ('--port' + "`t" + 'port to listen on; 0 takes a free one'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)'), ('--database' + "`t" + 'keep everything in a PostgreSQL 15 or newer, such as postgres://ana@host/name, with --files'), ('--files' + "`t" + 'directory of the uploaded files, with --database'), ('--detach' + "`t" + 'return once it is ready, and let it run in the background'), ('--host' + "`t" + 'address to listen on; one that other machines reach needs --behind-proxy or --insecure-http, and a key'), ('--log-size' + "`t" + 'bytes that the log of the requests may have, such as 256MiB; 0 keeps none (64MiB where not given)'), ('--log' + "`t" + 'json: say everything on stderr in lines of JSON, and each request there'), ('--metrics' + "`t" + 'address for the metrics of Prometheus, at /metrics; whoever reaches it may read them'), ('--phone' + "`t" + 'auto: a simulated phone scans each code that is shown; manual: only with "sandbox phone scan"'), ('--qr-delay' + "`t" + 'how long a connected device has no code yet'), ('--blink' + "`t" + 'restart each session right after the scan: up, down for 2 s, up for good'), ('--shared-emails' + "`t" + 'let several teams have an administrator of one e-mail address, in place of one'), ('--rate-limit' + "`t" + 'requests that a key may make, such as 20/s or 600/m; more are answered 429'), ('--latency' + "`t" + 'let each request wait that long, or any time of a range: 40ms..120ms'), ('--qr-style' + "`t" + 'how codes are drawn; mixed takes another style for each code'), ('--behind-proxy' + "`t" + 'calls come through a proxy that ends TLS; its Host and X-Forwarded-Proto tell the address'), ('--drain-delay' + "`t" + 'how long to keep serving once it is to stop, while /readyz answers 503 (5s if other machines reach it, else 0s)') }
        'sandbox run' { ('--port' + "`t" + 'port to listen on; 0 takes a free one'), ('--database' + "`t" + 'keep everything in a PostgreSQL 15 or newer, such as postgres://ana@host/name, with --files'), ('--files' + "`t" + 'directory of the uploaded files, with --database'), ('--host' + "`t" + 'address to listen on, of this machine only'), ('--log-size' + "`t" + 'bytes that the log of the requests may have, such as 256MiB; 0 keeps none (64MiB where not given)'), ('--log' + "`t" + 'json: say everything on stderr in lines of JSON, and each request there'), ('--metrics' + "`t" + 'address for the metrics of Prometheus, at /metrics; whoever reaches it may read them'), ('--phone' + "`t" + 'auto: a simulated phone scans each code that is shown; manual: only with "sandbox phone scan"'), ('--qr-delay' + "`t" + 'how long a connected device has no code yet'), ('--blink' + "`t" + 'restart each session right after the scan: up, down for 2 s, up for good'), ('--shared-emails' + "`t" + 'let several teams have an administrator of one e-mail address, in place of one'), ('--rate-limit' + "`t" + 'requests that a key may make, such as 20/s or 600/m; more are answered 429'), ('--latency' + "`t" + 'let each request wait that long, or any time of a range: 40ms..120ms'), ('--qr-style' + "`t" + 'how codes are drawn; mixed takes another style for each code') }
        'sandbox status' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)'), ('--all' + "`t" + 'every sandbox that runs on this machine') }
        'sandbox stop' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox reset' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox seed' { ('--teams' + "`t" + 'teams to make, each with its administrator'), ('--bots' + "`t" + 'bots to make'), ('--docs' + "`t" + 'documents to make'), ('--seed' + "`t" + 'what the ids come from: the same ones for the same text, which serves a sandbox once'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox publish' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone scan' { ('--text' + "`t" + 'the file, or stdin, is a drawn terminal screen instead of a PNG'), ('--number' + "`t" + 'phone number of the phone'), ('--stall' + "`t" + 'do not confirm on the phone: the device is scanned, and never connected'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone unlink' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone offline' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone online' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone takeover' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone block' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox phone unblock' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox key create' { ('--name' + "`t" + 'name of the key'), ('--expires' + "`t" + 'when it ends: a date (from its first moment, UTC), a time, or a duration such as 90d'), ('--secret-file' + "`t" + 'write the secret to this file, mode 0600'), ('--show-secret' + "`t" + 'print the secret with the result'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)'), ('--database' + "`t" + 'make it in this database, whether or not a sandbox runs on it') }
        'sandbox key deactivate' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox clock advance' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox clock set' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox clock freeze' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox clock resume' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox fault add' { ('--status' + "`t" + 'answer with this status, in the error envelope where no --body is given'), ('--code' + "`t" + 'code in that envelope (by the status where not given)'), ('--retry-after' + "`t" + 'the header Retry-After: seconds, date for a date soon, or none (1 with 429 where not given)'), ('--delay' + "`t" + 'let the request wait that long before anything else'), ('--reset' + "`t" + 'reset the connection before or after the call takes effect'), ('--truncate' + "`t" + 'send half of the answer, then reset the connection'), ('--body' + "`t" + 'answer with the bytes of a file (status 200 where not given)'), ('--type' + "`t" + 'media type of that file (text/html where not given)'), ('--after' + "`t" + 'let that many requests through first'), ('--times' + "`t" + 'apply to that many requests, then end'), ('--rate' + "`t" + 'apply to a request with this chance, such as 0.1'), ('--seed' + "`t" + 'make --rate repeatable (a number that "fault list" shows where not given)'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox fault list' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox fault ls' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox fault clear' { ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox behave' { ('--ignore-filters' + "`t" + 'answer lists as if no filter were given'), ('--ignore-paging' + "`t" + 'answer the first page whichever is asked for'), ('--rename' + "`t" + 'give a member of answers another name, at any depth; may be repeated'), ('--extra-members' + "`t" + 'add unknown members to every object in the data of an answer'), ('--unauthorized-status' + "`t" + 'answer UNAUTHORIZED with this status, 400 to 499'), ('--shared-emails' + "`t" + 'let several teams have an administrator of one e-mail address, in all instances of a database'), ('--no-shared-emails' + "`t" + 'let only one team have it'), ('--size-unit' + "`t" + 'show the size of documents in bytes, kB, KiB, MB or MiB, rounded up'), ('--rename-query' + "`t" + 'give a parameter of lists another name; several with commas: page=p,name=q'), ('--ignore-unknown' + "`t" + 'leave out parameters of lists that it does not know'), ('--max-limit' + "`t" + 'put this many rows on a page at most, 1 to 100'), ('--first-page' + "`t" + 'count pages from 0 or 1'), ('--order' + "`t" + 'order lists by created_at or name; with :desc the other way round'), ('--case-sensitive' + "`t" + 'find parts of names in their own case only'), ('--reset' + "`t" + 'put everything back first'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox log' { ('--follow' + "`t" + 'go on with each new row, until Ctrl-C or the end of the sandbox'), ('--since' + "`t" + 'rows of so long ago or later by the sandbox''s clock, such as 5m, or since a time with its zone'), ('--limit' + "`t" + 'the newest rows, so many (on a terminal 50 where neither this nor --since is given)'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox messages' { ('--device' + "`t" + 'through this device, by id or exact name'), ('--to' + "`t" + 'to this phone number, with its country code'), ('--follow' + "`t" + 'go on with each new row, until Ctrl-C or the end of the sandbox'), ('--since' + "`t" + 'rows of so long ago or later by the sandbox''s clock, such as 5m, or since a time with its zone'), ('--limit' + "`t" + 'the newest rows, so many (on a terminal 50 where neither this nor --since is given)'), ('--data' + "`t" + 'data directory of the sandbox (that of the profile in use, or of your user, where not given)') }
        'sandbox migrate' { ('--database' + "`t" + 'the database, as for sandbox start') }
        'api POST' { ('--query' + "`t" + 'add to the query'), ('--set' + "`t" + 'set a member of the JSON body'), ('--set-string' + "`t" + 'the same, always as text'), ('--set-file' + "`t" + 'the same, the text of a file'), ('--body' + "`t" + 'send this JSON as it is; - reads stdin'), ('--file' + "`t" + 'upload as a form; --set gives its other fields'), ('--paginate' + "`t" + 'read every page of a list, as one array or with -o ndjson row by row'), ('--include' + "`t" + 'print status and headers before the body'), ('--dry-run' + "`t" + 'call nothing; print the call as a curl line with the token as $TOKEN') }
        'api GET' { ('--query' + "`t" + 'add to the query'), ('--set' + "`t" + 'set a member of the JSON body'), ('--set-string' + "`t" + 'the same, always as text'), ('--set-file' + "`t" + 'the same, the text of a file'), ('--body' + "`t" + 'send this JSON as it is; - reads stdin'), ('--file' + "`t" + 'upload as a form; --set gives its other fields'), ('--paginate' + "`t" + 'read every page of a list, as one array or with -o ndjson row by row'), ('--include' + "`t" + 'print status and headers before the body'), ('--dry-run' + "`t" + 'call nothing; print the call as a curl line with the token as $TOKEN') }
        'api DELETE' { ('--query' + "`t" + 'add to the query'), ('--set' + "`t" + 'set a member of the JSON body'), ('--set-string' + "`t" + 'the same, always as text'), ('--set-file' + "`t" + 'the same, the text of a file'), ('--body' + "`t" + 'send this JSON as it is; - reads stdin'), ('--file' + "`t" + 'upload as a form; --set gives its other fields'), ('--paginate' + "`t" + 'read every page of a list, as one array or with -o ndjson row by row'), ('--include' + "`t" + 'print status and headers before the body'), ('--dry-run' + "`t" + 'call nothing; print the call as a curl line with the token as $TOKEN') }
        'api PATCH' { ('--query' + "`t" + 'add to the query'), ('--set' + "`t" + 'set a member of the JSON body'), ('--set-string' + "`t" + 'the same, always as text'), ('--set-file' + "`t" + 'the same, the text of a file'), ('--body' + "`t" + 'send this JSON as it is; - reads stdin'), ('--file' + "`t" + 'upload as a form; --set gives its other fields'), ('--paginate' + "`t" + 'read every page of a list, as one array or with -o ndjson row by row'), ('--include' + "`t" + 'print status and headers before the body'), ('--dry-run' + "`t" + 'call nothing; print the call as a curl line with the token as $TOKEN') }
    }
    ('--profile' + "`t" + 'use this profile'), ('--base-url' + "`t" + 'address of the service'), ('--output' + "`t" + 'output format'), ('--fields' + "`t" + 'show these fields, in this order: a,b'), ('--header' + "`t" + 'print a heading line in tsv'), ('--no-input' + "`t" + 'never ask; fail instead'), ('--yes' + "`t" + 'answer yes to y/N questions'), ('--allow' + "`t" + 'allow what --yes does not, by its word'), ('--confirm-profile' + "`t" + 'answer what a protected profile asks'), ('--no-color' + "`t" + 'print without colour'), ('--request-timeout' + "`t" + 'give up on one request after this long (30s)'), ('--retries' + "`t" + 'how often to repeat what may be repeated (3)'), ('--max-rps' + "`t" + 'requests a second of this process; divide it by xargs -P'), ('--ca-file' + "`t" + 'trust the certificates in this PEM file too'), ('--region' + "`t" + 'read phone numbers as they are dialled there: BR'), ('--insecure-http' + "`t" + 'allow plain http beyond this machine'), ('--error-format' + "`t" + 'how failures are told'), ('--debug' + "`t" + 'show requests, retries, traces; secrets masked'), ('--help' + "`t" + 'show help')
}

# What stands at an option, or at the number of an argument, of a command: its kind, then the words.
function __BotctlTakes([string]$trail, [string]$slot) {
    switch -CaseSensitive ("$trail|$slot") {
        'login|--key-id' { return @(('text')) }
        'login|--key-secret-stdin' { return @(('flag')) }
        'login|--key-secret-file' { return @(('file')) }
        'login|--key-secret' { return @(('text')) }
        'login|--fields' { return @(('list'), ('profile' + "`t" + 'profile'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('key_name' + "`t" + 'Key name'), ('file' + "`t" + 'file')) }
        'whoami|--fields' { return @(('list'), ('profile' + "`t" + 'profile'), ('source' + "`t" + 'source'), ('base_url' + "`t" + 'Base address'), ('origin' + "`t" + 'origin'), ('key_id' + "`t" + 'Key id'), ('key_name' + "`t" + 'Key name'), ('key_expires_at' + "`t" + 'Key expires'), ('token_age' + "`t" + 'Token age'), ('token_expires_at' + "`t" + 'Token expires')) }
        'token|--force' { return @(('flag')) }
        'doctor|--bundle' { return @(('file')) }
        'doctor|--learn' { return @(('flag')) }
        'doctor|--save' { return @(('flag')) }
        'doctor|--report' { return @(('file')) }
        'doctor|--max-requests' { return @(('text')) }
        'doctor|--resume' { return @(('flag')) }
        'doctor|--fields' { return @(('list'), ('check' + "`t" + 'check'), ('verdict' + "`t" + 'verdict'), ('found' + "`t" + 'found'), ('remedy' + "`t" + 'remedy')) }
        'completion|1' { return @(('words'), ('bash'), ('zsh'), ('fish'), ('powershell')) }
        'api|--query' { return @(('text')) }
        'api|--set' { return @(('text')) }
        'api|--set-string' { return @(('text')) }
        'api|--set-file' { return @(('text')) }
        'api|--body' { return @(('file')) }
        'api|--file' { return @(('file')) }
        'api|--paginate' { return @(('flag')) }
        'api|--include' { return @(('flag')) }
        'api|--dry-run' { return @(('flag')) }
        'api|1' { return @(('words'), ('GET'), ('POST'), ('PATCH'), ('DELETE'), ('PUT'), ('HEAD'), ('OPTIONS')) }
        'api|2' { return @(('text')) }
        'send|--device' { return @(('names'), ('device')) }
        'send|--to' { return @(('text')) }
        'send|--message' { return @(('text')) }
        'send|--message-file' { return @(('file')) }
        'send|--send-as-audio' { return @(('flag')) }
        'send|--no-send-as-audio' { return @(('flag')) }
        'send|--ai-generates-message' { return @(('flag')) }
        'send|--image-url' { return @(('text')) }
        'send|--image-mime-type' { return @(('text')) }
        'send|--fields' { return @(('list'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name'), ('destinationNumber' + "`t" + 'To'), ('sendAsAudio' + "`t" + 'As audio'), ('aiGeneratesMessage' + "`t" + 'Written by AI'), ('imageUrl' + "`t" + 'Image'), ('imageMimeType' + "`t" + 'Image type')) }
        'tour|--keep' { return @(('flag')) }
        'profiles list|--limit' { return @(('text')) }
        'profiles ls|--limit' { return @(('text')) }
        'profiles list|--sort' { return @(('order'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles ls|--sort' { return @(('order'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles list|--where' { return @(('pair'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles ls|--where' { return @(('pair'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles list|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles ls|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles show|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles get|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles show|1' { return @(('names'), ('profile')) }
        'profiles get|1' { return @(('names'), ('profile')) }
        'profiles use|1' { return @(('names'), ('profile')) }
        'profiles set|--protect' { return @(('flag')) }
        'profiles set|--no-protect' { return @(('flag')) }
        'profiles set|--page-size' { return @(('text')) }
        'profiles set|--first-page' { return @(('text')) }
        'profiles set|--query-name' { return @(('pair'), ('page' + "`t" + 'page'), ('limit' + "`t" + 'limit'), ('name' + "`t" + 'name'), ('paying' + "`t" + 'paying'), ('team' + "`t" + 'team'), ('type' + "`t" + 'type')) }
        'profiles set|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'profiles set|--database' { return @(('text')) }
        'profiles set|--unset' { return @(('words'), ('query-names'), ('page-size'), ('first-page'), ('ca-file'), ('region'), ('qr'), ('database')) }
        'profiles set|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('current' + "`t" + 'current'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('protected' + "`t" + 'protected'), ('page_size' + "`t" + 'page_size'), ('ca_file' + "`t" + 'CA file'), ('region' + "`t" + 'region'), ('qr' + "`t" + 'QR style'), ('database' + "`t" + 'database'), ('query_names' + "`t" + 'query_names'), ('unsent' + "`t" + 'Not sent'), ('first_page' + "`t" + 'first_page'), ('learned_at' + "`t" + 'Learned')) }
        'profiles set|1' { return @(('names'), ('profile')) }
        'profiles rename|1' { return @(('names'), ('profile')) }
        'profiles rename|2' { return @(('text')) }
        'profiles remove|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('removed' + "`t" + 'removed')) }
        'profiles rm|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'Key id'), ('removed' + "`t" + 'removed')) }
        'profiles remove|1' { return @(('names'), ('profile')) }
        'profiles rm|1' { return @(('names'), ('profile')) }
        'keys create|--name' { return @(('text')) }
        'keys create|--expires' { return @(('text')) }
        'keys create|--secret-file' { return @(('file')) }
        'keys create|--show-secret' { return @(('flag')) }
        'keys create|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('key_secret' + "`t" + 'Key secret'), ('created_at' + "`t" + 'Created')) }
        'keys list|--limit' { return @(('text')) }
        'keys ls|--limit' { return @(('text')) }
        'keys list|--sort' { return @(('order'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys ls|--sort' { return @(('order'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys list|--where' { return @(('pair'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys ls|--where' { return @(('pair'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys list|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys ls|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys get|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys show|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('scope' + "`t" + 'scope'), ('is_active' + "`t" + 'Active'), ('expires_at' + "`t" + 'Expires'), ('last_used' + "`t" + 'Last used'), ('created_at' + "`t" + 'Created')) }
        'keys get|1' { return @(('names'), ('key')) }
        'keys show|1' { return @(('names'), ('key')) }
        'keys get|more' { return @(('names'), ('key')) }
        'keys show|more' { return @(('names'), ('key')) }
        'keys rotate|--name' { return @(('text')) }
        'keys rotate|--expires' { return @(('text')) }
        'keys rotate|--secret-file' { return @(('file')) }
        'keys rotate|--show-secret' { return @(('flag')) }
        'keys rotate|--keep-old' { return @(('flag')) }
        'keys rotate|--finish' { return @(('flag')) }
        'keys rotate|--then' { return @(('text')) }
        'keys rotate|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('key_secret' + "`t" + 'Key secret'), ('expires_at' + "`t" + 'Expires'), ('replaced_key_id' + "`t" + 'Replaced key'), ('replaced_last_used' + "`t" + 'Last used'), ('replaced_deleted' + "`t" + 'Replaced deleted'), ('profiles' + "`t" + 'profiles'), ('secret_file' + "`t" + 'Secret file')) }
        'keys delete|--confirm' { return @(('names'), ('key')) }
        'keys rm|--confirm' { return @(('names'), ('key')) }
        'keys delete|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('deleted' + "`t" + 'deleted')) }
        'keys rm|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('deleted' + "`t" + 'deleted')) }
        'keys delete|1' { return @(('names'), ('key')) }
        'keys rm|1' { return @(('names'), ('key')) }
        'keys delete|more' { return @(('names'), ('key')) }
        'keys rm|more' { return @(('names'), ('key')) }
        'teams create|--name' { return @(('text')) }
        'teams create|--plan' { return @(('text')) }
        'teams create|--admin-name' { return @(('text')) }
        'teams create|--admin-email' { return @(('text')) }
        'teams create|--admin-phone' { return @(('text')) }
        'teams create|--quota' { return @(('pair'), ('bots' + "`t" + 'bots'), ('accounts' + "`t" + 'accounts'), ('characters' + "`t" + 'characters'), ('documents' + "`t" + 'documents'), ('members' + "`t" + 'members'), ('credits' + "`t" + 'credits')) }
        'teams create|--if-absent' { return @(('flag')) }
        'teams create|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'teams create|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('user.id' + "`t" + 'admin id'), ('user.name' + "`t" + 'admin name'), ('user.email' + "`t" + 'admin email'), ('user.phone' + "`t" + 'admin phone'), ('user.created_at' + "`t" + 'admin created')) }
        'teams list|--name' { return @(('text')) }
        'teams ls|--name' { return @(('text')) }
        'teams list|--paying' { return @(('flag')) }
        'teams ls|--paying' { return @(('flag')) }
        'teams list|--no-paying' { return @(('flag')) }
        'teams ls|--no-paying' { return @(('flag')) }
        'teams list|--page' { return @(('text')) }
        'teams ls|--page' { return @(('text')) }
        'teams list|--per-page' { return @(('text')) }
        'teams ls|--per-page' { return @(('text')) }
        'teams list|--limit' { return @(('text')) }
        'teams ls|--limit' { return @(('text')) }
        'teams list|--all' { return @(('flag')) }
        'teams ls|--all' { return @(('flag')) }
        'teams list|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams ls|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams list|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams ls|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams list|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams ls|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated')) }
        'teams get|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('quotas.bots' + "`t" + 'quotas.bots'), ('quotas.accounts' + "`t" + 'quotas.accounts'), ('quotas.characters' + "`t" + 'quotas.characters'), ('quotas.documents' + "`t" + 'quotas.documents'), ('quotas.members' + "`t" + 'quotas.members'), ('quotas.credits' + "`t" + 'quotas.credits'), ('settings' + "`t" + 'settings')) }
        'teams show|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('quotas.bots' + "`t" + 'quotas.bots'), ('quotas.accounts' + "`t" + 'quotas.accounts'), ('quotas.characters' + "`t" + 'quotas.characters'), ('quotas.documents' + "`t" + 'quotas.documents'), ('quotas.members' + "`t" + 'quotas.members'), ('quotas.credits' + "`t" + 'quotas.credits'), ('settings' + "`t" + 'settings')) }
        'teams get|1' { return @(('names'), ('team')) }
        'teams show|1' { return @(('names'), ('team')) }
        'teams get|more' { return @(('names'), ('team')) }
        'teams show|more' { return @(('names'), ('team')) }
        'teams overview|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('quotas' + "`t" + 'quotas'), ('used' + "`t" + 'used'), ('bots' + "`t" + 'bots'), ('documents' + "`t" + 'documents'), ('devices' + "`t" + 'devices')) }
        'teams overview|1' { return @(('names'), ('team')) }
        'teams update|--name' { return @(('text')) }
        'teams update|--plan' { return @(('text')) }
        'teams update|--paying' { return @(('flag')) }
        'teams update|--no-paying' { return @(('flag')) }
        'teams update|--ban' { return @(('flag')) }
        'teams update|--unban' { return @(('flag')) }
        'teams update|--quota' { return @(('pair'), ('bots' + "`t" + 'bots'), ('accounts' + "`t" + 'accounts'), ('characters' + "`t" + 'characters'), ('documents' + "`t" + 'documents'), ('members' + "`t" + 'members'), ('credits' + "`t" + 'credits')) }
        'teams update|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'teams update|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('plan_name' + "`t" + 'plan'), ('paying' + "`t" + 'paying'), ('banned' + "`t" + 'banned'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('quotas.bots' + "`t" + 'quotas.bots'), ('quotas.accounts' + "`t" + 'quotas.accounts'), ('quotas.characters' + "`t" + 'quotas.characters'), ('quotas.documents' + "`t" + 'quotas.documents'), ('quotas.members' + "`t" + 'quotas.members'), ('quotas.credits' + "`t" + 'quotas.credits'), ('settings' + "`t" + 'settings'), ('changes' + "`t" + 'changes')) }
        'teams update|1' { return @(('names'), ('team')) }
        'tenants init|--fields' { return @(('list'), ('file' + "`t" + 'file')) }
        'tenants init|1' { return @(('file')) }
        'tenants validate|--var' { return @(('text')) }
        'tenants validate|--vars' { return @(('file')) }
        'tenants validate|--each' { return @(('file')) }
        'tenants validate|--fields' { return @(('list'), ('file' + "`t" + 'file'), ('line' + "`t" + 'line'), ('column' + "`t" + 'column'), ('field' + "`t" + 'field'), ('problem' + "`t" + 'problem')) }
        'tenants validate|1' { return @(('file')) }
        'tenants validate|more' { return @(('file')) }
        'tenants plan|--var' { return @(('text')) }
        'tenants plan|--vars' { return @(('file')) }
        'tenants plan|--each' { return @(('file')) }
        'tenants plan|--lock' { return @(('file')) }
        'tenants plan|--target' { return @(('text')) }
        'tenants plan|--prune' { return @(('flag')) }
        'tenants plan|--check' { return @(('flag')) }
        'tenants plan|--check-drift' { return @(('flag')) }
        'tenants plan|--out' { return @(('file')) }
        'tenants plan|--max-bytes' { return @(('text')) }
        'tenants plan|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it'), ('lower-quota' + "`t" + 'allow a team less than it has already'), ('ban' + "`t" + 'ban a team'), ('adopt' + "`t" + 'take what has the name for what the files mean, although it differs'), ('create-device' + "`t" + 'make a device in a team that may have it already'), ('recreate' + "`t" + 'make again what is not there any more'), ('delete-bot' + "`t" + 'delete bots that the files no longer name')) }
        'tenants plan|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('kind' + "`t" + 'kind'), ('action' + "`t" + 'action'), ('name' + "`t" + 'name'), ('id' + "`t" + 'id'), ('fields.field' + "`t" + 'Fields'), ('risks.risk' + "`t" + 'Risks'), ('fields' + "`t" + 'fields'), ('risks' + "`t" + 'risks'), ('impossible' + "`t" + 'impossible'), ('unverifiable' + "`t" + 'unverifiable'), ('unverified' + "`t" + 'unverified'), ('unknown_since' + "`t" + 'unknown_since')) }
        'tenants plan|1' { return @(('file')) }
        'tenants plan|more' { return @(('file')) }
        'tenants apply|--var' { return @(('text')) }
        'tenants apply|--vars' { return @(('file')) }
        'tenants apply|--each' { return @(('file')) }
        'tenants apply|--lock' { return @(('file')) }
        'tenants apply|--target' { return @(('text')) }
        'tenants apply|--prune' { return @(('flag')) }
        'tenants apply|--plan' { return @(('file')) }
        'tenants apply|--secrets-file' { return @(('file')) }
        'tenants apply|--discard-tokens' { return @(('flag')) }
        'tenants apply|--assume-current' { return @(('flag')) }
        'tenants apply|--concurrency' { return @(('text')) }
        'tenants apply|--lock-timeout' { return @(('text')) }
        'tenants apply|--settle' { return @(('text')) }
        'tenants apply|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it'), ('lower-quota' + "`t" + 'allow a team less than it has already'), ('ban' + "`t" + 'ban a team'), ('adopt' + "`t" + 'take what has the name for what the files mean, although it differs'), ('create-device' + "`t" + 'make a device in a team that may have it already'), ('recreate' + "`t" + 'make again what is not there any more'), ('delete-bot' + "`t" + 'delete bots that the files no longer name')) }
        'tenants apply|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('kind' + "`t" + 'kind'), ('action' + "`t" + 'action'), ('outcome' + "`t" + 'outcome'), ('error' + "`t" + 'error'), ('code' + "`t" + 'Error code'), ('name' + "`t" + 'name'), ('id' + "`t" + 'id')) }
        'tenants apply|1' { return @(('file')) }
        'tenants apply|more' { return @(('file')) }
        'tenants export|--all' { return @(('flag')) }
        'tenants export|--out' { return @(('file')) }
        'tenants export|--lock' { return @(('file')) }
        'tenants export|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('name' + "`t" + 'name'), ('id' + "`t" + 'id'), ('file' + "`t" + 'file'), ('documents' + "`t" + 'documents'), ('bots' + "`t" + 'bots'), ('devices' + "`t" + 'devices'), ('left_out' + "`t" + 'Left out')) }
        'tenants export|1' { return @(('names'), ('team')) }
        'tenants export|more' { return @(('names'), ('team')) }
        'tenants show|--lock' { return @(('file')) }
        'tenants show|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('kind' + "`t" + 'kind'), ('name' + "`t" + 'name'), ('id' + "`t" + 'id'), ('unknown_since' + "`t" + 'unknown_since')) }
        'tenants import|--lock' { return @(('file')) }
        'tenants import|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('name' + "`t" + 'name'), ('id' + "`t" + 'id')) }
        'tenants import|1' { return @(('text')) }
        'tenants import|2' { return @(('text')) }
        'tenants forget|--lock' { return @(('file')) }
        'tenants forget|--fields' { return @(('list'), ('address' + "`t" + 'address'), ('id' + "`t" + 'id')) }
        'tenants forget|1' { return @(('text')) }
        'tenants rebind|--lock' { return @(('file')) }
        'tenants rebind|--fields' { return @(('list'), ('lock' + "`t" + 'lock'), ('before' + "`t" + 'before'), ('origin' + "`t" + 'origin'), ('teams' + "`t" + 'teams')) }
        'bots create|--team' { return @(('names'), ('team')) }
        'bots create|--name' { return @(('text')) }
        'bots create|--file' { return @(('file')) }
        'bots create|--instructions' { return @(('text')) }
        'bots create|--instructions-file' { return @(('file')) }
        'bots create|--role' { return @(('words'), ('support'), ('dynamic'), ('sales')) }
        'bots create|--description' { return @(('text')) }
        'bots create|--temperature' { return @(('text')) }
        'bots create|--identification-name' { return @(('text')) }
        'bots create|--document' { return @(('names'), ('document')) }
        'bots create|--question' { return @(('text')) }
        'bots create|--action' { return @(('text')) }
        'bots create|--action-file' { return @(('file')) }
        'bots create|--allow-human' { return @(('flag')) }
        'bots create|--no-allow-human' { return @(('flag')) }
        'bots create|--use-audio-responses' { return @(('flag')) }
        'bots create|--no-use-audio-responses' { return @(('flag')) }
        'bots create|--allow-user-audio-requests' { return @(('flag')) }
        'bots create|--no-allow-user-audio-requests' { return @(('flag')) }
        'bots create|--capture-payments' { return @(('flag')) }
        'bots create|--no-capture-payments' { return @(('flag')) }
        'bots create|--break-lines' { return @(('flag')) }
        'bots create|--no-break-lines' { return @(('flag')) }
        'bots create|--if-absent' { return @(('flag')) }
        'bots create|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'bots create|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots list|--team' { return @(('names'), ('team')) }
        'bots ls|--team' { return @(('names'), ('team')) }
        'bots list|--name' { return @(('text')) }
        'bots ls|--name' { return @(('text')) }
        'bots list|--page' { return @(('text')) }
        'bots ls|--page' { return @(('text')) }
        'bots list|--per-page' { return @(('text')) }
        'bots ls|--per-page' { return @(('text')) }
        'bots list|--limit' { return @(('text')) }
        'bots ls|--limit' { return @(('text')) }
        'bots list|--all' { return @(('flag')) }
        'bots ls|--all' { return @(('flag')) }
        'bots list|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots ls|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots list|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots ls|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots list|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots ls|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created')) }
        'bots get|--team' { return @(('names'), ('team')) }
        'bots show|--team' { return @(('names'), ('team')) }
        'bots get|--editable' { return @(('flag')) }
        'bots show|--editable' { return @(('flag')) }
        'bots get|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created'), ('identification_name' + "`t" + 'introduces as'), ('use_audio_responses' + "`t" + 'audio answers'), ('allow_user_audio_requests' + "`t" + 'audio from users'), ('capture_payments' + "`t" + 'capture_payments'), ('break_lines' + "`t" + 'break_lines'), ('questions' + "`t" + 'questions'), ('actions' + "`t" + 'actions'), ('documents' + "`t" + 'documents')) }
        'bots show|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created'), ('identification_name' + "`t" + 'introduces as'), ('use_audio_responses' + "`t" + 'audio answers'), ('allow_user_audio_requests' + "`t" + 'audio from users'), ('capture_payments' + "`t" + 'capture_payments'), ('break_lines' + "`t" + 'break_lines'), ('questions' + "`t" + 'questions'), ('actions' + "`t" + 'actions'), ('documents' + "`t" + 'documents')) }
        'bots get|1' { return @(('names'), ('bot')) }
        'bots show|1' { return @(('names'), ('bot')) }
        'bots get|more' { return @(('names'), ('bot')) }
        'bots show|more' { return @(('names'), ('bot')) }
        'bots update|--team' { return @(('names'), ('team')) }
        'bots update|--name' { return @(('text')) }
        'bots update|--file' { return @(('file')) }
        'bots update|--instructions' { return @(('text')) }
        'bots update|--instructions-file' { return @(('file')) }
        'bots update|--role' { return @(('words'), ('support'), ('dynamic'), ('sales')) }
        'bots update|--description' { return @(('text')) }
        'bots update|--temperature' { return @(('text')) }
        'bots update|--identification-name' { return @(('text')) }
        'bots update|--document' { return @(('names'), ('document')) }
        'bots update|--question' { return @(('text')) }
        'bots update|--action' { return @(('text')) }
        'bots update|--action-file' { return @(('file')) }
        'bots update|--allow-human' { return @(('flag')) }
        'bots update|--no-allow-human' { return @(('flag')) }
        'bots update|--use-audio-responses' { return @(('flag')) }
        'bots update|--no-use-audio-responses' { return @(('flag')) }
        'bots update|--allow-user-audio-requests' { return @(('flag')) }
        'bots update|--no-allow-user-audio-requests' { return @(('flag')) }
        'bots update|--capture-payments' { return @(('flag')) }
        'bots update|--no-capture-payments' { return @(('flag')) }
        'bots update|--break-lines' { return @(('flag')) }
        'bots update|--no-break-lines' { return @(('flag')) }
        'bots update|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'bots update|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created'), ('identification_name' + "`t" + 'introduces as'), ('use_audio_responses' + "`t" + 'audio answers'), ('allow_user_audio_requests' + "`t" + 'audio from users'), ('capture_payments' + "`t" + 'capture_payments'), ('break_lines' + "`t" + 'break_lines'), ('questions' + "`t" + 'questions'), ('actions' + "`t" + 'actions'), ('documents' + "`t" + 'documents')) }
        'bots update|1' { return @(('names'), ('bot')) }
        'bots edit|--team' { return @(('names'), ('team')) }
        'bots edit|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'bots edit|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('role' + "`t" + 'role'), ('published' + "`t" + 'published'), ('team_id' + "`t" + 'team'), ('updated_at' + "`t" + 'updated'), ('description' + "`t" + 'description'), ('instructions' + "`t" + 'instructions'), ('temperature' + "`t" + 'temperature'), ('allow_human' + "`t" + 'allow_human'), ('provider_id' + "`t" + 'provider_id'), ('vector_id' + "`t" + 'vector_id'), ('created_at' + "`t" + 'created'), ('identification_name' + "`t" + 'introduces as'), ('use_audio_responses' + "`t" + 'audio answers'), ('allow_user_audio_requests' + "`t" + 'audio from users'), ('capture_payments' + "`t" + 'capture_payments'), ('break_lines' + "`t" + 'break_lines'), ('questions' + "`t" + 'questions'), ('actions' + "`t" + 'actions'), ('documents' + "`t" + 'documents')) }
        'bots edit|1' { return @(('names'), ('bot')) }
        'bots diff|--file' { return @(('file')) }
        'bots diff|--team' { return @(('names'), ('team')) }
        'bots diff|--fields' { return @(('list'), ('field' + "`t" + 'field'), ('from' + "`t" + 'from'), ('to' + "`t" + 'to')) }
        'bots diff|1' { return @(('names'), ('bot')) }
        'bots delete|--team' { return @(('names'), ('team')) }
        'bots rm|--team' { return @(('names'), ('team')) }
        'bots delete|--confirm' { return @(('names'), ('bot')) }
        'bots rm|--confirm' { return @(('names'), ('bot')) }
        'bots delete|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('deleted' + "`t" + 'deleted')) }
        'bots rm|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('deleted' + "`t" + 'deleted')) }
        'bots delete|1' { return @(('names'), ('bot')) }
        'bots rm|1' { return @(('names'), ('bot')) }
        'bots delete|more' { return @(('names'), ('bot')) }
        'bots rm|more' { return @(('names'), ('bot')) }
        'bots questions add|--question' { return @(('text')) }
        'bots questions add|--answer' { return @(('text')) }
        'bots questions add|--replace' { return @(('flag')) }
        'bots questions add|--team' { return @(('names'), ('team')) }
        'bots questions add|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots questions add|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('question' + "`t" + 'question'), ('answer' + "`t" + 'answer')) }
        'bots questions add|1' { return @(('names'), ('bot')) }
        'bots questions list|--team' { return @(('names'), ('team')) }
        'bots questions ls|--team' { return @(('names'), ('team')) }
        'bots questions list|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('question' + "`t" + 'question'), ('answer' + "`t" + 'answer')) }
        'bots questions ls|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('question' + "`t" + 'question'), ('answer' + "`t" + 'answer')) }
        'bots questions list|1' { return @(('names'), ('bot')) }
        'bots questions ls|1' { return @(('names'), ('bot')) }
        'bots questions remove|--team' { return @(('names'), ('team')) }
        'bots questions rm|--team' { return @(('names'), ('team')) }
        'bots questions remove|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots questions rm|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots questions remove|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('question' + "`t" + 'question'), ('answer' + "`t" + 'answer')) }
        'bots questions rm|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('question' + "`t" + 'question'), ('answer' + "`t" + 'answer')) }
        'bots questions remove|1' { return @(('names'), ('bot')) }
        'bots questions rm|1' { return @(('names'), ('bot')) }
        'bots questions remove|2' { return @(('text')) }
        'bots questions rm|2' { return @(('text')) }
        'bots questions remove|more' { return @(('text')) }
        'bots questions rm|more' { return @(('text')) }
        'bots actions add|--action' { return @(('text')) }
        'bots actions add|--action-file' { return @(('file')) }
        'bots actions add|--replace' { return @(('flag')) }
        'bots actions add|--team' { return @(('names'), ('team')) }
        'bots actions add|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots actions add|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('method' + "`t" + 'method'), ('endpoint' + "`t" + 'endpoint'), ('description' + "`t" + 'description'), ('headers' + "`t" + 'headers'), ('body' + "`t" + 'body')) }
        'bots actions add|1' { return @(('names'), ('bot')) }
        'bots actions list|--team' { return @(('names'), ('team')) }
        'bots actions ls|--team' { return @(('names'), ('team')) }
        'bots actions list|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('method' + "`t" + 'method'), ('endpoint' + "`t" + 'endpoint'), ('description' + "`t" + 'description'), ('headers' + "`t" + 'headers'), ('body' + "`t" + 'body')) }
        'bots actions ls|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('method' + "`t" + 'method'), ('endpoint' + "`t" + 'endpoint'), ('description' + "`t" + 'description'), ('headers' + "`t" + 'headers'), ('body' + "`t" + 'body')) }
        'bots actions list|1' { return @(('names'), ('bot')) }
        'bots actions ls|1' { return @(('names'), ('bot')) }
        'bots actions remove|--team' { return @(('names'), ('team')) }
        'bots actions rm|--team' { return @(('names'), ('team')) }
        'bots actions remove|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots actions rm|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots actions remove|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('method' + "`t" + 'method'), ('endpoint' + "`t" + 'endpoint'), ('description' + "`t" + 'description'), ('headers' + "`t" + 'headers'), ('body' + "`t" + 'body')) }
        'bots actions rm|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('method' + "`t" + 'method'), ('endpoint' + "`t" + 'endpoint'), ('description' + "`t" + 'description'), ('headers' + "`t" + 'headers'), ('body' + "`t" + 'body')) }
        'bots actions remove|1' { return @(('names'), ('bot')) }
        'bots actions rm|1' { return @(('names'), ('bot')) }
        'bots actions remove|2' { return @(('text')) }
        'bots actions rm|2' { return @(('text')) }
        'bots actions remove|more' { return @(('text')) }
        'bots actions rm|more' { return @(('text')) }
        'bots documents add|--team' { return @(('names'), ('team')) }
        'bots documents add|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots documents add|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('chars' + "`t" + 'chars')) }
        'bots documents add|1' { return @(('names'), ('bot')) }
        'bots documents add|2' { return @(('names'), ('document')) }
        'bots documents add|more' { return @(('names'), ('document')) }
        'bots documents list|--team' { return @(('names'), ('team')) }
        'bots documents ls|--team' { return @(('names'), ('team')) }
        'bots documents list|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('chars' + "`t" + 'chars')) }
        'bots documents ls|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('chars' + "`t" + 'chars')) }
        'bots documents list|1' { return @(('names'), ('bot')) }
        'bots documents ls|1' { return @(('names'), ('bot')) }
        'bots documents remove|--team' { return @(('names'), ('team')) }
        'bots documents rm|--team' { return @(('names'), ('team')) }
        'bots documents remove|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots documents rm|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'bots documents remove|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('chars' + "`t" + 'chars')) }
        'bots documents rm|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('chars' + "`t" + 'chars')) }
        'bots documents remove|1' { return @(('names'), ('bot')) }
        'bots documents rm|1' { return @(('names'), ('bot')) }
        'bots documents remove|2' { return @(('names'), ('document')) }
        'bots documents rm|2' { return @(('names'), ('document')) }
        'bots documents remove|more' { return @(('names'), ('document')) }
        'bots documents rm|more' { return @(('names'), ('document')) }
        'docs upload|--team' { return @(('names'), ('team')) }
        'docs upload|--name' { return @(('text')) }
        'docs upload|--chars' { return @(('text')) }
        'docs upload|--name-by' { return @(('words'), ('name'), ('path')) }
        'docs upload|--include' { return @(('text')) }
        'docs upload|--exclude' { return @(('text')) }
        'docs upload|--as-text' { return @(('text')) }
        'docs upload|--count-mode' { return @(('words'), ('collapsed'), ('raw')) }
        'docs upload|--fail-empty-pages' { return @(('text')) }
        'docs upload|--password-stdin' { return @(('flag')) }
        'docs upload|--concurrency' { return @(('text')) }
        'docs upload|--settle' { return @(('text')) }
        'docs upload|--retry-unknown' { return @(('flag')) }
        'docs upload|--if-absent' { return @(('flag')) }
        'docs upload|--max-new' { return @(('text')) }
        'docs upload|--dry-run' { return @(('flag')) }
        'docs upload|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'docs upload|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url'), ('outcome' + "`t" + 'outcome'), ('error' + "`t" + 'error'), ('code' + "`t" + 'Error code'), ('given' + "`t" + 'given'), ('reason' + "`t" + 'reason')) }
        'docs upload|1' { return @(('file')) }
        'docs upload|more' { return @(('file')) }
        'docs sync|--team' { return @(('names'), ('team')) }
        'docs sync|--check' { return @(('flag')) }
        'docs sync|--attach' { return @(('names'), ('bot')) }
        'docs sync|--detach-removed' { return @(('flag')) }
        'docs sync|--ledger' { return @(('file')) }
        'docs sync|--include' { return @(('text')) }
        'docs sync|--exclude' { return @(('text')) }
        'docs sync|--as-text' { return @(('text')) }
        'docs sync|--count-mode' { return @(('words'), ('collapsed'), ('raw')) }
        'docs sync|--fail-empty-pages' { return @(('text')) }
        'docs sync|--password-stdin' { return @(('flag')) }
        'docs sync|--max-new' { return @(('text')) }
        'docs sync|--name-by' { return @(('words'), ('name'), ('path')) }
        'docs sync|--checksum' { return @(('flag')) }
        'docs sync|--retry-refused' { return @(('flag')) }
        'docs sync|--retire' { return @(('flag')) }
        'docs sync|--no-retire' { return @(('flag')) }
        'docs sync|--retire-as' { return @(('text')) }
        'docs sync|--concurrency' { return @(('text')) }
        'docs sync|--settle' { return @(('text')) }
        'docs sync|--retry-unknown' { return @(('flag')) }
        'docs sync|--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it')) }
        'docs sync|--fields' { return @(('list'), ('path' + "`t" + 'path'), ('change' + "`t" + 'change'), ('outcome' + "`t" + 'outcome'), ('error' + "`t" + 'error'), ('code' + "`t" + 'Error code'), ('reason' + "`t" + 'reason'), ('chars' + "`t" + 'chars'), ('size' + "`t" + 'size'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('bot' + "`t" + 'bot'), ('attached' + "`t" + 'attached'), ('detached' + "`t" + 'detached')) }
        'docs sync|1' { return @(('file')) }
        'docs count|--include' { return @(('text')) }
        'docs count|--exclude' { return @(('text')) }
        'docs count|--as-text' { return @(('text')) }
        'docs count|--count-mode' { return @(('words'), ('collapsed'), ('raw')) }
        'docs count|--fail-empty-pages' { return @(('text')) }
        'docs count|--password-stdin' { return @(('flag')) }
        'docs count|--pages' { return @(('flag')) }
        'docs count|--fields' { return @(('list'), ('path' + "`t" + 'path'), ('kind' + "`t" + 'kind'), ('encoding' + "`t" + 'encoding'), ('pages' + "`t" + 'pages'), ('chars' + "`t" + 'chars'), ('bytes' + "`t" + 'bytes'), ('empty_pages' + "`t" + 'empty_pages'), ('page' + "`t" + 'page'), ('reason' + "`t" + 'reason'), ('guessed' + "`t" + 'guessed'), ('error' + "`t" + 'error')) }
        'docs count|1' { return @(('file')) }
        'docs count|more' { return @(('file')) }
        'docs list|--team' { return @(('names'), ('team')) }
        'docs ls|--team' { return @(('names'), ('team')) }
        'docs list|--name' { return @(('text')) }
        'docs ls|--name' { return @(('text')) }
        'docs list|--type' { return @(('words'), ('pdf'), ('txt'), ('docx'), ('doc')) }
        'docs ls|--type' { return @(('words'), ('pdf'), ('txt'), ('docx'), ('doc')) }
        'docs list|--page' { return @(('text')) }
        'docs ls|--page' { return @(('text')) }
        'docs list|--per-page' { return @(('text')) }
        'docs ls|--per-page' { return @(('text')) }
        'docs list|--limit' { return @(('text')) }
        'docs ls|--limit' { return @(('text')) }
        'docs list|--all' { return @(('flag')) }
        'docs ls|--all' { return @(('flag')) }
        'docs list|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs ls|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs list|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs ls|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs list|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs ls|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs get|--team' { return @(('names'), ('team')) }
        'docs show|--team' { return @(('names'), ('team')) }
        'docs get|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs show|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url')) }
        'docs get|1' { return @(('names'), ('document')) }
        'docs show|1' { return @(('names'), ('document')) }
        'docs get|more' { return @(('names'), ('document')) }
        'docs show|more' { return @(('names'), ('document')) }
        'docs rename|--team' { return @(('names'), ('team')) }
        'docs rename|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'docs rename|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('type' + "`t" + 'type'), ('size' + "`t" + 'size'), ('chars' + "`t" + 'chars'), ('team_id' + "`t" + 'team'), ('created_at' + "`t" + 'created'), ('updated_at' + "`t" + 'updated'), ('provider_id' + "`t" + 'provider id'), ('file_url' + "`t" + 'file_url'), ('changes' + "`t" + 'changes')) }
        'docs rename|1' { return @(('names'), ('document')) }
        'docs rename|2' { return @(('text')) }
        'device create|--team' { return @(('names'), ('team')) }
        'device create|--bot' { return @(('names'), ('bot')) }
        'device create|--name' { return @(('text')) }
        'device create|--secret-file' { return @(('file')) }
        'device create|--show-token' { return @(('flag')) }
        'device create|--discard-token' { return @(('flag')) }
        'device create|--if-absent' { return @(('flag')) }
        'device create|--allow' { return @(('list'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name')) }
        'device create|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_id' + "`t" + 'Team'), ('bot_id' + "`t" + 'Bot'), ('status' + "`t" + 'status'), ('type' + "`t" + 'type'), ('connected' + "`t" + 'connected'), ('blocked' + "`t" + 'blocked'), ('phone_number' + "`t" + 'phone_number'), ('token' + "`t" + 'Device token'), ('pool_url' + "`t" + 'Pool address'), ('last_disconnect_reason' + "`t" + 'Last disconnect reason'), ('last_disconnect_at' + "`t" + 'Last disconnected'), ('created_at' + "`t" + 'Created'), ('updated_at' + "`t" + 'Updated')) }
        'device connect|--wait' { return @(('flag')) }
        'device pair|--wait' { return @(('flag')) }
        'device connect|--no-wait' { return @(('flag')) }
        'device pair|--no-wait' { return @(('flag')) }
        'device connect|--timeout' { return @(('text')) }
        'device pair|--timeout' { return @(('text')) }
        'device connect|--rounds' { return @(('text')) }
        'device pair|--rounds' { return @(('text')) }
        'device connect|--repair' { return @(('flag')) }
        'device pair|--repair' { return @(('flag')) }
        'device connect|--expect' { return @(('text')) }
        'device pair|--expect' { return @(('text')) }
        'device connect|--bell' { return @(('flag')) }
        'device pair|--bell' { return @(('flag')) }
        'device connect|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'device pair|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'device connect|--no-qr' { return @(('flag')) }
        'device pair|--no-qr' { return @(('flag')) }
        'device connect|--qr-invert' { return @(('flag')) }
        'device pair|--qr-invert' { return @(('flag')) }
        'device connect|--qr-file' { return @(('file')) }
        'device pair|--qr-file' { return @(('file')) }
        'device connect|--qr-web' { return @(('flag')) }
        'device pair|--qr-web' { return @(('flag')) }
        'device connect|--reveal-qr' { return @(('flag')) }
        'device pair|--reveal-qr' { return @(('flag')) }
        'device connect|--fields' { return @(('list'), ('event' + "`t" + 'event'), ('state' + "`t" + 'state'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name'), ('phone_number' + "`t" + 'Phone number'), ('took' + "`t" + 'Took (s)'), ('fingerprint' + "`t" + 'Code'), ('number' + "`t" + 'Code number'), ('round' + "`t" + 'round'), ('age' + "`t" + 'Age (s)'), ('pause' + "`t" + 'Pause (s)'), ('scans' + "`t" + 'scans'), ('expected' + "`t" + 'Expected number'), ('matches' + "`t" + 'As expected'), ('payload' + "`t" + 'payload'), ('because' + "`t" + 'because'), ('reason' + "`t" + 'reason'), ('status' + "`t" + 'status'), ('message' + "`t" + 'message'), ('at' + "`t" + 'at')) }
        'device pair|--fields' { return @(('list'), ('event' + "`t" + 'event'), ('state' + "`t" + 'state'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name'), ('phone_number' + "`t" + 'Phone number'), ('took' + "`t" + 'Took (s)'), ('fingerprint' + "`t" + 'Code'), ('number' + "`t" + 'Code number'), ('round' + "`t" + 'round'), ('age' + "`t" + 'Age (s)'), ('pause' + "`t" + 'Pause (s)'), ('scans' + "`t" + 'scans'), ('expected' + "`t" + 'Expected number'), ('matches' + "`t" + 'As expected'), ('payload' + "`t" + 'payload'), ('because' + "`t" + 'because'), ('reason' + "`t" + 'reason'), ('status' + "`t" + 'status'), ('message' + "`t" + 'message'), ('at' + "`t" + 'at')) }
        'device connect|1' { return @(('names'), ('device')) }
        'device pair|1' { return @(('names'), ('device')) }
        'device status|--all' { return @(('flag')) }
        'device show|--all' { return @(('flag')) }
        'device status|--watch' { return @(('flag')) }
        'device show|--watch' { return @(('flag')) }
        'device status|--until' { return @(('words'), ('ready'), ('stopped'), ('lost')) }
        'device show|--until' { return @(('words'), ('ready'), ('stopped'), ('lost')) }
        'device status|--timeout' { return @(('text')) }
        'device show|--timeout' { return @(('text')) }
        'device status|--expect' { return @(('text')) }
        'device show|--expect' { return @(('text')) }
        'device status|--bell' { return @(('flag')) }
        'device show|--bell' { return @(('flag')) }
        'device status|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'device show|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'device status|--no-qr' { return @(('flag')) }
        'device show|--no-qr' { return @(('flag')) }
        'device status|--qr-invert' { return @(('flag')) }
        'device show|--qr-invert' { return @(('flag')) }
        'device status|--qr-file' { return @(('file')) }
        'device show|--qr-file' { return @(('file')) }
        'device status|--qr-web' { return @(('flag')) }
        'device show|--qr-web' { return @(('flag')) }
        'device status|--reveal-qr' { return @(('flag')) }
        'device show|--reveal-qr' { return @(('flag')) }
        'device status|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('verdict' + "`t" + 'verdict'), ('next' + "`t" + 'Next'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'Logged in'), ('phone_number' + "`t" + 'Phone number'), ('message' + "`t" + 'message'), ('last_disconnect_reason' + "`t" + 'Last disconnect reason'), ('last_disconnect_at' + "`t" + 'Last disconnected'), ('refused_at' + "`t" + 'Sending refused'), ('refused_because' + "`t" + 'Refused because'), ('qr_code' + "`t" + 'QR code'), ('device_id' + "`t" + 'Device'), ('team_name' + "`t" + 'Team'), ('event' + "`t" + 'event'), ('took' + "`t" + 'Took (s)'), ('fingerprint' + "`t" + 'Code'), ('number' + "`t" + 'Code number'), ('round' + "`t" + 'round'), ('age' + "`t" + 'Age (s)'), ('pause' + "`t" + 'Pause (s)'), ('scans' + "`t" + 'scans'), ('expected' + "`t" + 'Expected number'), ('matches' + "`t" + 'As expected'), ('payload' + "`t" + 'payload'), ('because' + "`t" + 'because'), ('reason' + "`t" + 'reason'), ('at' + "`t" + 'at'), ('was' + "`t" + 'State before'), ('until' + "`t" + 'until'), ('missing' + "`t" + 'Not there')) }
        'device show|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('verdict' + "`t" + 'verdict'), ('next' + "`t" + 'Next'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'Logged in'), ('phone_number' + "`t" + 'Phone number'), ('message' + "`t" + 'message'), ('last_disconnect_reason' + "`t" + 'Last disconnect reason'), ('last_disconnect_at' + "`t" + 'Last disconnected'), ('refused_at' + "`t" + 'Sending refused'), ('refused_because' + "`t" + 'Refused because'), ('qr_code' + "`t" + 'QR code'), ('device_id' + "`t" + 'Device'), ('team_name' + "`t" + 'Team'), ('event' + "`t" + 'event'), ('took' + "`t" + 'Took (s)'), ('fingerprint' + "`t" + 'Code'), ('number' + "`t" + 'Code number'), ('round' + "`t" + 'round'), ('age' + "`t" + 'Age (s)'), ('pause' + "`t" + 'Pause (s)'), ('scans' + "`t" + 'scans'), ('expected' + "`t" + 'Expected number'), ('matches' + "`t" + 'As expected'), ('payload' + "`t" + 'payload'), ('because' + "`t" + 'because'), ('reason' + "`t" + 'reason'), ('at' + "`t" + 'at'), ('was' + "`t" + 'State before'), ('until' + "`t" + 'until'), ('missing' + "`t" + 'Not there')) }
        'device status|1' { return @(('names'), ('device')) }
        'device show|1' { return @(('names'), ('device')) }
        'device status|more' { return @(('names'), ('device')) }
        'device show|more' { return @(('names'), ('device')) }
        'device history|--limit' { return @(('text')) }
        'device history|--sort' { return @(('order'), ('at' + "`t" + 'Seen'), ('event' + "`t" + 'event'), ('reason' + "`t" + 'reason'), ('lost_at' + "`t" + 'Last disconnected'), ('phone_number' + "`t" + 'Phone number'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name')) }
        'device history|--where' { return @(('pair'), ('at' + "`t" + 'Seen'), ('event' + "`t" + 'event'), ('reason' + "`t" + 'reason'), ('lost_at' + "`t" + 'Last disconnected'), ('phone_number' + "`t" + 'Phone number'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name')) }
        'device history|--fields' { return @(('list'), ('at' + "`t" + 'Seen'), ('event' + "`t" + 'event'), ('reason' + "`t" + 'reason'), ('lost_at' + "`t" + 'Last disconnected'), ('phone_number' + "`t" + 'Phone number'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name')) }
        'device history|1' { return @(('names'), ('device')) }
        'device repair|--force' { return @(('flag')) }
        'device repair|--wait' { return @(('flag')) }
        'device repair|--no-wait' { return @(('flag')) }
        'device repair|--timeout' { return @(('text')) }
        'device repair|--expect' { return @(('text')) }
        'device repair|--bell' { return @(('flag')) }
        'device repair|--qr' { return @(('words'), ('auto'), ('half'), ('sextant'), ('spaces'), ('plain')) }
        'device repair|--no-qr' { return @(('flag')) }
        'device repair|--qr-invert' { return @(('flag')) }
        'device repair|--qr-file' { return @(('file')) }
        'device repair|--qr-web' { return @(('flag')) }
        'device repair|--reveal-qr' { return @(('flag')) }
        'device repair|--fields' { return @(('list'), ('event' + "`t" + 'event'), ('evidence' + "`t" + 'evidence'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'Logged in'), ('next' + "`t" + 'next'), ('state' + "`t" + 'state'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name'), ('phone_number' + "`t" + 'Phone number'), ('took' + "`t" + 'Took (s)'), ('fingerprint' + "`t" + 'Code'), ('number' + "`t" + 'Code number'), ('round' + "`t" + 'round'), ('age' + "`t" + 'Age (s)'), ('pause' + "`t" + 'Pause (s)'), ('scans' + "`t" + 'scans'), ('expected' + "`t" + 'Expected number'), ('matches' + "`t" + 'As expected'), ('payload' + "`t" + 'payload'), ('because' + "`t" + 'because'), ('reason' + "`t" + 'reason'), ('status' + "`t" + 'status'), ('message' + "`t" + 'message'), ('at' + "`t" + 'at')) }
        'device repair|1' { return @(('names'), ('device')) }
        'device repair|more' { return @(('names'), ('device')) }
        'device disconnect|--fields' { return @(('list'), ('device_id' + "`t" + 'Device'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('message' + "`t" + 'message')) }
        'device disconnect|1' { return @(('names'), ('device')) }
        'device disconnect|more' { return @(('names'), ('device')) }
        'device list|--limit' { return @(('text')) }
        'device ls|--limit' { return @(('text')) }
        'device list|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device ls|--sort' { return @(('order'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device list|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device ls|--where' { return @(('pair'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device list|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device ls|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device add|--name' { return @(('text')) }
        'device add|--team' { return @(('names'), ('team')) }
        'device add|--bot' { return @(('names'), ('bot')) }
        'device add|--offline' { return @(('flag')) }
        'device add|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen')) }
        'device add|1' { return @(('text')) }
        'device forget|--gone' { return @(('flag')) }
        'device forget|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('forgotten' + "`t" + 'forgotten')) }
        'device forget|1' { return @(('names'), ('device')) }
        'device forget|more' { return @(('names'), ('device')) }
        'device export|--fields' { return @(('list'), ('service' + "`t" + 'service'), ('id' + "`t" + 'id'), ('name' + "`t" + 'name'), ('team_name' + "`t" + 'Team'), ('bot_name' + "`t" + 'Bot'), ('team_id' + "`t" + 'Team id'), ('bot_id' + "`t" + 'Bot id'), ('seen_at' + "`t" + 'First seen'), ('noted_at' + "`t" + 'Noted')) }
        'device import|--fields' { return @(('list'), ('added' + "`t" + 'added'), ('updated' + "`t" + 'updated'), ('unchanged' + "`t" + 'unchanged'), ('of_other_services' + "`t" + 'Of other services')) }
        'device import|1' { return @(('file')) }
        'campaigns create|--recipients' { return @(('file')) }
        'campaigns create|--to-column' { return @(('text')) }
        'campaigns create|--skip-invalid' { return @(('flag')) }
        'campaigns create|--limit' { return @(('text')) }
        'campaigns create|--dry-run' { return @(('flag')) }
        'campaigns create|--key-column' { return @(('text')) }
        'campaigns create|--device' { return @(('names'), ('device')) }
        'campaigns create|--message' { return @(('text')) }
        'campaigns create|--message-file' { return @(('file')) }
        'campaigns create|--send-as-audio' { return @(('flag')) }
        'campaigns create|--no-send-as-audio' { return @(('flag')) }
        'campaigns create|--ai-generates-message' { return @(('flag')) }
        'campaigns create|--image-url' { return @(('text')) }
        'campaigns create|--image-mime-type' { return @(('text')) }
        'campaigns create|--gap' { return @(('text')) }
        'campaigns create|--daily' { return @(('text')) }
        'campaigns create|--warm-up' { return @(('text')) }
        'campaigns create|--window' { return @(('text')) }
        'campaigns create|--tz' { return @(('text')) }
        'campaigns create|--database' { return @(('text')) }
        'campaigns create|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('service' + "`t" + 'service'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('alike' + "`t" + 'Most that say the same'), ('pace' + "`t" + 'pace'), ('takes' + "`t" + 'Takes at least'), ('first_to' + "`t" + 'First to'), ('first_message' + "`t" + 'First message'), ('last_to' + "`t" + 'Last to'), ('last_message' + "`t" + 'Last message'), ('longest_message' + "`t" + 'Longest message'), ('longest_chars' + "`t" + 'Its characters'), ('recipients' + "`t" + 'recipients'), ('created_at' + "`t" + 'Created'), ('made_on' + "`t" + 'Made on')) }
        'campaigns create|1' { return @(('text')) }
        'campaigns list|--limit' { return @(('text')) }
        'campaigns ls|--limit' { return @(('text')) }
        'campaigns list|--sort' { return @(('order'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns ls|--sort' { return @(('order'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns list|--where' { return @(('pair'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns ls|--where' { return @(('pair'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns list|--database' { return @(('text')) }
        'campaigns ls|--database' { return @(('text')) }
        'campaigns list|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns ls|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('created_at' + "`t" + 'Created')) }
        'campaigns get|--database' { return @(('text')) }
        'campaigns show|--database' { return @(('text')) }
        'campaigns get|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('service' + "`t" + 'service'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('alike' + "`t" + 'Most that say the same'), ('pace' + "`t" + 'pace'), ('takes' + "`t" + 'Takes at least'), ('first_to' + "`t" + 'First to'), ('first_message' + "`t" + 'First message'), ('last_to' + "`t" + 'Last to'), ('last_message' + "`t" + 'Last message'), ('longest_message' + "`t" + 'Longest message'), ('longest_chars' + "`t" + 'Its characters'), ('recipients' + "`t" + 'recipients'), ('created_at' + "`t" + 'Created'), ('made_on' + "`t" + 'Made on')) }
        'campaigns show|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('service' + "`t" + 'service'), ('devices' + "`t" + 'devices'), ('rows' + "`t" + 'rows'), ('planned' + "`t" + 'planned'), ('accepted' + "`t" + 'accepted'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('alike' + "`t" + 'Most that say the same'), ('pace' + "`t" + 'pace'), ('takes' + "`t" + 'Takes at least'), ('first_to' + "`t" + 'First to'), ('first_message' + "`t" + 'First message'), ('last_to' + "`t" + 'Last to'), ('last_message' + "`t" + 'Last message'), ('longest_message' + "`t" + 'Longest message'), ('longest_chars' + "`t" + 'Its characters'), ('recipients' + "`t" + 'recipients'), ('created_at' + "`t" + 'Created'), ('made_on' + "`t" + 'Made on')) }
        'campaigns get|1' { return @(('names'), ('campaign')) }
        'campaigns show|1' { return @(('names'), ('campaign')) }
        'campaigns add|--recipients' { return @(('file')) }
        'campaigns add|--to-column' { return @(('text')) }
        'campaigns add|--skip-invalid' { return @(('flag')) }
        'campaigns add|--limit' { return @(('text')) }
        'campaigns add|--dry-run' { return @(('flag')) }
        'campaigns add|--database' { return @(('text')) }
        'campaigns add|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('added' + "`t" + 'added'), ('planned' + "`t" + 'planned'), ('opted_out' + "`t" + 'Opted out'), ('duplicates' + "`t" + 'duplicates'), ('invalid' + "`t" + 'invalid'), ('known' + "`t" + 'There already'), ('rows' + "`t" + 'Rows in all')) }
        'campaigns add|1' { return @(('names'), ('campaign')) }
        'campaigns test|--to' { return @(('text')) }
        'campaigns test|--row' { return @(('text')) }
        'campaigns test|--device' { return @(('names'), ('device')) }
        'campaigns test|--database' { return @(('text')) }
        'campaigns test|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('row' + "`t" + 'row'), ('device' + "`t" + 'device'), ('to' + "`t" + 'to'), ('message' + "`t" + 'message')) }
        'campaigns test|1' { return @(('names'), ('campaign')) }
        'campaigns run|--wait' { return @(('flag')) }
        'campaigns run|--retry' { return @(('words'), ('rejected')) }
        'campaigns run|--retry-unknown' { return @(('flag')) }
        'campaigns run|--resume' { return @(('flag')) }
        'campaigns run|--accept-number' { return @(('text')) }
        'campaigns run|--accept-failover' { return @(('flag')) }
        'campaigns run|--database' { return @(('text')) }
        'campaigns run|--allow' { return @(('list'), ('resend' + "`t" + 'send again what a restored backup does not record as sent')) }
        'campaigns run|--fields' { return @(('list'), ('device' + "`t" + 'device'), ('accepted_now' + "`t" + 'Accepted now'), ('accepted' + "`t" + 'Accepted in all'), ('rejected' + "`t" + 'rejected'), ('unknown' + "`t" + 'unknown'), ('skipped' + "`t" + 'skipped'), ('left' + "`t" + 'left'), ('ended' + "`t" + 'ended'), ('because' + "`t" + 'because'), ('next_at' + "`t" + 'Next')) }
        'campaigns run|1' { return @(('names'), ('campaign')) }
        'campaigns run|more' { return @(('names'), ('campaign')) }
        'campaigns results|--state' { return @(('words'), ('planned'), ('sending'), ('accepted'), ('rejected'), ('unknown'), ('skipped')) }
        'campaigns results|--database' { return @(('text')) }
        'campaigns results|--fields' { return @(('list'), ('row' + "`t" + 'row'), ('to' + "`t" + 'to'), ('state' + "`t" + 'state'), ('reason' + "`t" + 'reason'), ('because' + "`t" + 'because'), ('at' + "`t" + 'at'), ('attempts' + "`t" + 'attempts'), ('device' + "`t" + 'device'), ('message' + "`t" + 'message')) }
        'campaigns results|1' { return @(('names'), ('campaign')) }
        'campaigns settle|--accepted' { return @(('flag')) }
        'campaigns settle|--not-sent' { return @(('flag')) }
        'campaigns settle|--database' { return @(('text')) }
        'campaigns settle|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('rows' + "`t" + 'rows'), ('state' + "`t" + 'state'), ('unknown' + "`t" + 'Unknown still')) }
        'campaigns settle|1' { return @(('names'), ('campaign')) }
        'campaigns settle|2' { return @(('text')) }
        'campaigns settle|more' { return @(('text')) }
        'campaigns pause|--database' { return @(('text')) }
        'campaigns pause|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('at' + "`t" + 'Since'), ('left' + "`t" + 'Left to send')) }
        'campaigns pause|1' { return @(('names'), ('campaign')) }
        'campaigns cancel|--database' { return @(('text')) }
        'campaigns cancel|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('state' + "`t" + 'state'), ('at' + "`t" + 'Since'), ('left' + "`t" + 'Left to send')) }
        'campaigns cancel|1' { return @(('names'), ('campaign')) }
        'campaigns delete|--database' { return @(('text')) }
        'campaigns rm|--database' { return @(('text')) }
        'campaigns remove|--database' { return @(('text')) }
        'campaigns delete|--confirm' { return @(('names'), ('campaign')) }
        'campaigns rm|--confirm' { return @(('names'), ('campaign')) }
        'campaigns remove|--confirm' { return @(('names'), ('campaign')) }
        'campaigns delete|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('rows' + "`t" + 'rows'), ('deleted' + "`t" + 'deleted')) }
        'campaigns rm|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('rows' + "`t" + 'rows'), ('deleted' + "`t" + 'deleted')) }
        'campaigns remove|--fields' { return @(('list'), ('name' + "`t" + 'name'), ('rows' + "`t" + 'rows'), ('deleted' + "`t" + 'deleted')) }
        'campaigns delete|1' { return @(('names'), ('campaign')) }
        'campaigns rm|1' { return @(('names'), ('campaign')) }
        'campaigns remove|1' { return @(('names'), ('campaign')) }
        'campaigns migrate|--database' { return @(('text')) }
        'campaigns migrate|--fields' { return @(('list'), ('campaigns' + "`t" + 'campaigns'), ('rows' + "`t" + 'rows'), ('unknown' + "`t" + 'unknown'), ('optouts' + "`t" + 'Opt-outs'), ('files' + "`t" + 'Files renamed to'), ('database' + "`t" + 'database')) }
        'optouts add|--note' { return @(('text')) }
        'optouts add|--database' { return @(('text')) }
        'optouts add|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added'), ('added' + "`t" + 'New')) }
        'optouts add|1' { return @(('text')) }
        'optouts remove|--database' { return @(('text')) }
        'optouts rm|--database' { return @(('text')) }
        'optouts delete|--database' { return @(('text')) }
        'optouts remove|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added'), ('removed' + "`t" + 'removed')) }
        'optouts rm|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added'), ('removed' + "`t" + 'removed')) }
        'optouts delete|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added'), ('removed' + "`t" + 'removed')) }
        'optouts remove|1' { return @(('text')) }
        'optouts rm|1' { return @(('text')) }
        'optouts delete|1' { return @(('text')) }
        'optouts list|--limit' { return @(('text')) }
        'optouts ls|--limit' { return @(('text')) }
        'optouts list|--sort' { return @(('order'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts ls|--sort' { return @(('order'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts list|--where' { return @(('pair'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts ls|--where' { return @(('pair'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts list|--database' { return @(('text')) }
        'optouts ls|--database' { return @(('text')) }
        'optouts list|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts ls|--fields' { return @(('list'), ('number' + "`t" + 'number'), ('note' + "`t" + 'note'), ('added_at' + "`t" + 'Added')) }
        'optouts import|--local' { return @(('flag')) }
        'optouts import|--to-column' { return @(('text')) }
        'optouts import|--note' { return @(('text')) }
        'optouts import|--skip-invalid' { return @(('flag')) }
        'optouts import|--database' { return @(('text')) }
        'optouts import|--fields' { return @(('list'), ('added' + "`t" + 'added'), ('known' + "`t" + 'Noted already'), ('invalid' + "`t" + 'invalid')) }
        'optouts import|1' { return @(('file')) }
        'sandbox start|--port' { return @(('text')) }
        'sandbox start|--data' { return @(('file')) }
        'sandbox start|--database' { return @(('text')) }
        'sandbox start|--files' { return @(('file')) }
        'sandbox start|--detach' { return @(('flag')) }
        'sandbox start|--host' { return @(('text')) }
        'sandbox start|--log-size' { return @(('text')) }
        'sandbox start|--log' { return @(('words'), ('json')) }
        'sandbox start|--metrics' { return @(('text')) }
        'sandbox start|--phone' { return @(('words'), ('auto'), ('manual')) }
        'sandbox start|--qr-delay' { return @(('text')) }
        'sandbox start|--blink' { return @(('flag')) }
        'sandbox start|--shared-emails' { return @(('flag')) }
        'sandbox start|--rate-limit' { return @(('text')) }
        'sandbox start|--latency' { return @(('text')) }
        'sandbox start|--qr-style' { return @(('words'), ('plain'), ('palette'), ('grey'), ('rgb'), ('green'), ('blue'), ('high'), ('interlaced'), ('transparent'), ('inverted'), ('small'), ('narrow'), ('logo'), ('mixed')) }
        'sandbox start|--behind-proxy' { return @(('flag')) }
        'sandbox start|--drain-delay' { return @(('text')) }
        'sandbox start|--fields' { return @(('list'), ('base_url' + "`t" + 'Base address'), ('key_id' + "`t" + 'key_id'), ('key_secret' + "`t" + 'key_secret'), ('pid' + "`t" + 'Process'), ('data' + "`t" + 'data')) }
        'sandbox run|--port' { return @(('text')) }
        'sandbox run|--database' { return @(('text')) }
        'sandbox run|--files' { return @(('file')) }
        'sandbox run|--host' { return @(('text')) }
        'sandbox run|--log-size' { return @(('text')) }
        'sandbox run|--log' { return @(('words'), ('json')) }
        'sandbox run|--metrics' { return @(('text')) }
        'sandbox run|--phone' { return @(('words'), ('auto'), ('manual')) }
        'sandbox run|--qr-delay' { return @(('text')) }
        'sandbox run|--blink' { return @(('flag')) }
        'sandbox run|--shared-emails' { return @(('flag')) }
        'sandbox run|--rate-limit' { return @(('text')) }
        'sandbox run|--latency' { return @(('text')) }
        'sandbox run|--qr-style' { return @(('words'), ('plain'), ('palette'), ('grey'), ('rgb'), ('green'), ('blue'), ('high'), ('interlaced'), ('transparent'), ('inverted'), ('small'), ('narrow'), ('logo'), ('mixed')) }
        'sandbox run|1' { return @(('text')) }
        'sandbox run|more' { return @(('text')) }
        'sandbox status|--data' { return @(('file')) }
        'sandbox status|--all' { return @(('flag')) }
        'sandbox status|--fields' { return @(('list'), ('data' + "`t" + 'data'), ('database' + "`t" + 'database'), ('base_url' + "`t" + 'Base address'), ('pid' + "`t" + 'Process'), ('version' + "`t" + 'version'), ('started_at' + "`t" + 'Started'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen'), ('phone' + "`t" + 'phone'), ('log' + "`t" + 'log'), ('key_id' + "`t" + 'key_id'), ('teams' + "`t" + 'teams'), ('bots' + "`t" + 'bots'), ('documents' + "`t" + 'documents'), ('devices' + "`t" + 'devices'), ('messages' + "`t" + 'messages')) }
        'sandbox stop|--data' { return @(('file')) }
        'sandbox stop|--fields' { return @(('list'), ('data' + "`t" + 'data'), ('pid' + "`t" + 'Process')) }
        'sandbox reset|--data' { return @(('file')) }
        'sandbox reset|--fields' { return @(('list'), ('data' + "`t" + 'data'), ('database' + "`t" + 'database'), ('base_url' + "`t" + 'Base address'), ('pid' + "`t" + 'Process'), ('version' + "`t" + 'version'), ('started_at' + "`t" + 'Started'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen'), ('phone' + "`t" + 'phone'), ('log' + "`t" + 'log'), ('key_id' + "`t" + 'key_id'), ('teams' + "`t" + 'teams'), ('bots' + "`t" + 'bots'), ('documents' + "`t" + 'documents'), ('devices' + "`t" + 'devices'), ('messages' + "`t" + 'messages')) }
        'sandbox seed|--teams' { return @(('text')) }
        'sandbox seed|--bots' { return @(('text')) }
        'sandbox seed|--docs' { return @(('text')) }
        'sandbox seed|--seed' { return @(('text')) }
        'sandbox seed|--data' { return @(('file')) }
        'sandbox seed|--fields' { return @(('list'), ('teams' + "`t" + 'teams'), ('bots' + "`t" + 'bots'), ('documents' + "`t" + 'documents')) }
        'sandbox publish|--data' { return @(('file')) }
        'sandbox publish|--fields' { return @(('list'), ('bot_id' + "`t" + 'bot_id'), ('name' + "`t" + 'name'), ('published' + "`t" + 'published')) }
        'sandbox publish|1' { return @(('names'), ('bot')) }
        'sandbox phone scan|--text' { return @(('flag')) }
        'sandbox phone scan|--number' { return @(('text')) }
        'sandbox phone scan|--stall' { return @(('flag')) }
        'sandbox phone scan|--data' { return @(('file')) }
        'sandbox phone scan|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('phone_number' + "`t" + 'phone_number')) }
        'sandbox phone scan|1' { return @(('file')) }
        'sandbox phone unlink|--data' { return @(('file')) }
        'sandbox phone unlink|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone unlink|1' { return @(('names'), ('device')) }
        'sandbox phone offline|--data' { return @(('file')) }
        'sandbox phone offline|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone offline|1' { return @(('names'), ('device')) }
        'sandbox phone online|--data' { return @(('file')) }
        'sandbox phone online|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone online|1' { return @(('names'), ('device')) }
        'sandbox phone takeover|--data' { return @(('file')) }
        'sandbox phone takeover|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone takeover|1' { return @(('names'), ('device')) }
        'sandbox phone block|--data' { return @(('file')) }
        'sandbox phone block|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone block|1' { return @(('names'), ('device')) }
        'sandbox phone unblock|--data' { return @(('file')) }
        'sandbox phone unblock|--fields' { return @(('list'), ('device_id' + "`t" + 'device_id'), ('name' + "`t" + 'name'), ('status' + "`t" + 'status'), ('connected' + "`t" + 'connected'), ('logged_in' + "`t" + 'logged_in'), ('blocked' + "`t" + 'blocked'), ('last_disconnect_reason' + "`t" + 'last_disconnect_reason')) }
        'sandbox phone unblock|1' { return @(('names'), ('device')) }
        'sandbox key create|--name' { return @(('text')) }
        'sandbox key create|--expires' { return @(('text')) }
        'sandbox key create|--secret-file' { return @(('file')) }
        'sandbox key create|--show-secret' { return @(('flag')) }
        'sandbox key create|--data' { return @(('file')) }
        'sandbox key create|--database' { return @(('text')) }
        'sandbox key create|--fields' { return @(('list'), ('key_id' + "`t" + 'Key id'), ('name' + "`t" + 'name'), ('key_secret' + "`t" + 'Key secret'), ('created_at' + "`t" + 'Created')) }
        'sandbox key deactivate|--data' { return @(('file')) }
        'sandbox key deactivate|--fields' { return @(('list'), ('key_id' + "`t" + 'key_id'), ('name' + "`t" + 'name'), ('is_active' + "`t" + 'is_active')) }
        'sandbox key deactivate|1' { return @(('names'), ('key')) }
        'sandbox clock advance|--data' { return @(('file')) }
        'sandbox clock advance|--fields' { return @(('list'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen')) }
        'sandbox clock advance|1' { return @(('text')) }
        'sandbox clock set|--data' { return @(('file')) }
        'sandbox clock set|--fields' { return @(('list'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen')) }
        'sandbox clock set|1' { return @(('text')) }
        'sandbox clock freeze|--data' { return @(('file')) }
        'sandbox clock freeze|--fields' { return @(('list'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen')) }
        'sandbox clock resume|--data' { return @(('file')) }
        'sandbox clock resume|--fields' { return @(('list'), ('now' + "`t" + 'Its time'), ('frozen' + "`t" + 'frozen')) }
        'sandbox fault add|--status' { return @(('text')) }
        'sandbox fault add|--code' { return @(('text')) }
        'sandbox fault add|--retry-after' { return @(('text')) }
        'sandbox fault add|--delay' { return @(('text')) }
        'sandbox fault add|--reset' { return @(('words'), ('before'), ('after')) }
        'sandbox fault add|--truncate' { return @(('flag')) }
        'sandbox fault add|--body' { return @(('file')) }
        'sandbox fault add|--type' { return @(('text')) }
        'sandbox fault add|--after' { return @(('text')) }
        'sandbox fault add|--times' { return @(('text')) }
        'sandbox fault add|--rate' { return @(('text')) }
        'sandbox fault add|--seed' { return @(('text')) }
        'sandbox fault add|--data' { return @(('file')) }
        'sandbox fault add|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('target' + "`t" + 'target'), ('effect' + "`t" + 'effect'), ('when' + "`t" + 'when'), ('seen' + "`t" + 'seen'), ('met' + "`t" + 'met')) }
        'sandbox fault add|1' { return @(('text')) }
        'sandbox fault add|more' { return @(('text')) }
        'sandbox fault list|--data' { return @(('file')) }
        'sandbox fault ls|--data' { return @(('file')) }
        'sandbox fault list|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('target' + "`t" + 'target'), ('effect' + "`t" + 'effect'), ('when' + "`t" + 'when'), ('seen' + "`t" + 'seen'), ('met' + "`t" + 'met')) }
        'sandbox fault ls|--fields' { return @(('list'), ('id' + "`t" + 'id'), ('target' + "`t" + 'target'), ('effect' + "`t" + 'effect'), ('when' + "`t" + 'when'), ('seen' + "`t" + 'seen'), ('met' + "`t" + 'met')) }
        'sandbox fault clear|--data' { return @(('file')) }
        'sandbox fault clear|--fields' { return @(('list'), ('cleared' + "`t" + 'cleared')) }
        'sandbox fault clear|1' { return @(('text')) }
        'sandbox fault clear|more' { return @(('text')) }
        'sandbox behave|--ignore-filters' { return @(('flag')) }
        'sandbox behave|--ignore-paging' { return @(('flag')) }
        'sandbox behave|--rename' { return @(('text')) }
        'sandbox behave|--extra-members' { return @(('flag')) }
        'sandbox behave|--unauthorized-status' { return @(('text')) }
        'sandbox behave|--shared-emails' { return @(('flag')) }
        'sandbox behave|--no-shared-emails' { return @(('flag')) }
        'sandbox behave|--size-unit' { return @(('words'), ('bytes'), ('kB'), ('KiB'), ('MB'), ('MiB')) }
        'sandbox behave|--rename-query' { return @(('text')) }
        'sandbox behave|--ignore-unknown' { return @(('flag')) }
        'sandbox behave|--max-limit' { return @(('text')) }
        'sandbox behave|--first-page' { return @(('text')) }
        'sandbox behave|--order' { return @(('words'), ('created_at'), ('created_at:desc'), ('name'), ('name:desc')) }
        'sandbox behave|--case-sensitive' { return @(('flag')) }
        'sandbox behave|--reset' { return @(('flag')) }
        'sandbox behave|--data' { return @(('file')) }
        'sandbox behave|--fields' { return @(('list'), ('ignore_filters' + "`t" + 'ignore_filters'), ('ignore_paging' + "`t" + 'ignore_paging'), ('rename' + "`t" + 'rename'), ('extra_members' + "`t" + 'extra_members'), ('unauthorized_status' + "`t" + 'unauthorized_status'), ('shared_emails' + "`t" + 'shared_emails'), ('size_unit' + "`t" + 'size_unit'), ('rename_query' + "`t" + 'rename_query'), ('ignore_unknown' + "`t" + 'ignore_unknown'), ('max_limit' + "`t" + 'max_limit'), ('first_page' + "`t" + 'first_page'), ('order' + "`t" + 'order'), ('case_sensitive' + "`t" + 'case_sensitive')) }
        'sandbox log|--follow' { return @(('flag')) }
        'sandbox log|--since' { return @(('text')) }
        'sandbox log|--limit' { return @(('text')) }
        'sandbox log|--data' { return @(('file')) }
        'sandbox log|--fields' { return @(('list'), ('time' + "`t" + 'time'), ('operation' + "`t" + 'operation'), ('method' + "`t" + 'method'), ('path' + "`t" + 'path'), ('status' + "`t" + 'status'), ('duration_ms' + "`t" + 'Took (ms)'), ('fault' + "`t" + 'fault'), ('request_id' + "`t" + 'Request'), ('key_id' + "`t" + 'Key'), ('request_bytes' + "`t" + 'Sent'), ('response_bytes' + "`t" + 'Answered')) }
        'sandbox messages|--device' { return @(('names'), ('device')) }
        'sandbox messages|--to' { return @(('text')) }
        'sandbox messages|--follow' { return @(('flag')) }
        'sandbox messages|--since' { return @(('text')) }
        'sandbox messages|--limit' { return @(('text')) }
        'sandbox messages|--data' { return @(('file')) }
        'sandbox messages|--fields' { return @(('list'), ('time' + "`t" + 'time'), ('name' + "`t" + 'Device'), ('device_id' + "`t" + 'device_id'), ('destination_number' + "`t" + 'To'), ('message' + "`t" + 'Text'), ('send_as_audio' + "`t" + 'As audio'), ('ai_generates_message' + "`t" + 'By AI'), ('image_url' + "`t" + 'Image'), ('image_mime_type' + "`t" + 'Image type'), ('request_id' + "`t" + 'Request'), ('id' + "`t" + 'id')) }
        'sandbox migrate|--database' { return @(('text')) }
        'sandbox migrate|--fields' { return @(('list'), ('database' + "`t" + 'database'), ('migrated' + "`t" + 'migrated')) }
        'api POST|--query' { return @(('text')) }
        'api POST|--set' { return @(('text')) }
        'api POST|--set-string' { return @(('text')) }
        'api POST|--set-file' { return @(('text')) }
        'api POST|--body' { return @(('file')) }
        'api POST|--file' { return @(('file')) }
        'api POST|--paginate' { return @(('flag')) }
        'api POST|--include' { return @(('flag')) }
        'api POST|--dry-run' { return @(('flag')) }
        'api POST|1' { return @(('words'), ('/api/openapi/auth/token' + "`t" + 'Exchange an API key for an access token'), ('/api/openapi/v1/api-keys' + "`t" + 'Create an API key'), ('/api/openapi/v1/teams' + "`t" + 'Create a team and its administrator, or nothing'), ('/api/openapi/v1/bots' + "`t" + 'Create a bot, its assistant at the provider and, with documents, its vector store'), ('/api/openapi/v1/documents' + "`t" + 'Upload a document'), ('/api/openapi/v1/devices' + "`t" + 'Create a device, stopped'), ('/api/openapi/v1/devices/{id}/connect' + "`t" + 'Start a device; its status then carries a QR code'), ('/api/openapi/v1/devices/{id}/disconnect' + "`t" + 'Stop a device and detach it from the platform'), ('/api/openapi/v1/send' + "`t" + 'Send a message through a device that is started and connected')) }
        'api GET|--query' { return @(('text')) }
        'api GET|--set' { return @(('text')) }
        'api GET|--set-string' { return @(('text')) }
        'api GET|--set-file' { return @(('text')) }
        'api GET|--body' { return @(('file')) }
        'api GET|--file' { return @(('file')) }
        'api GET|--paginate' { return @(('flag')) }
        'api GET|--include' { return @(('flag')) }
        'api GET|--dry-run' { return @(('flag')) }
        'api GET|1' { return @(('words'), ('/api/openapi/v1/api-keys' + "`t" + 'List API keys'), ('/api/openapi/v1/api-keys/{keyId}' + "`t" + 'Read an API key'), ('/api/openapi/v1/teams' + "`t" + 'List teams'), ('/api/openapi/v1/teams/{id}' + "`t" + 'Read a team with its quotas and settings'), ('/api/openapi/v1/bots' + "`t" + 'List bots'), ('/api/openapi/v1/bots/{id}' + "`t" + 'Read a bot with its questions, actions and documents'), ('/api/openapi/v1/documents' + "`t" + 'List the documents of all teams'), ('/api/openapi/v1/documents/{id}' + "`t" + 'Read a document'), ('/api/openapi/v1/devices/{id}/status' + "`t" + 'Read the state of a device, with its QR code while it waits for one to be scanned')) }
        'api DELETE|--query' { return @(('text')) }
        'api DELETE|--set' { return @(('text')) }
        'api DELETE|--set-string' { return @(('text')) }
        'api DELETE|--set-file' { return @(('text')) }
        'api DELETE|--body' { return @(('file')) }
        'api DELETE|--file' { return @(('file')) }
        'api DELETE|--paginate' { return @(('flag')) }
        'api DELETE|--include' { return @(('flag')) }
        'api DELETE|--dry-run' { return @(('flag')) }
        'api DELETE|1' { return @(('words'), ('/api/openapi/v1/api-keys/{keyId}' + "`t" + 'Delete an API key for good'), ('/api/openapi/v1/bots/{id}' + "`t" + 'Delete a bot here and at the provider, with its document links')) }
        'api PATCH|--query' { return @(('text')) }
        'api PATCH|--set' { return @(('text')) }
        'api PATCH|--set-string' { return @(('text')) }
        'api PATCH|--set-file' { return @(('text')) }
        'api PATCH|--body' { return @(('file')) }
        'api PATCH|--file' { return @(('file')) }
        'api PATCH|--paginate' { return @(('flag')) }
        'api PATCH|--include' { return @(('flag')) }
        'api PATCH|--dry-run' { return @(('flag')) }
        'api PATCH|1' { return @(('words'), ('/api/openapi/v1/teams/{id}' + "`t" + 'Change a team'), ('/api/openapi/v1/bots/{id}' + "`t" + 'Change a bot; it is not published afterwards'), ('/api/openapi/v1/documents/{id}' + "`t" + 'Rename a document')) }
    }
    switch -CaseSensitive ($slot) {
        '--profile' { return @(('names'), ('profile')) }
        '--base-url' { return @(('text')) }
        '--output' { return @(('words'), ('table'), ('json'), ('ndjson'), ('csv'), ('tsv'), ('yaml'), ('id'), ('markdown'), ('help')) }
        '-o' { return @(('words'), ('table'), ('json'), ('ndjson'), ('csv'), ('tsv'), ('yaml'), ('id'), ('markdown'), ('help')) }
        '--fields' { return @(('text')) }
        '--header' { return @(('flag')) }
        '--no-input' { return @(('flag')) }
        '--yes' { return @(('flag')) }
        '-y' { return @(('flag')) }
        '--allow' { return @(('list'), ('unpublish' + "`t" + 'change a published bot although that unpublishes it'), ('duplicate' + "`t" + 'make another one of what is there already, or of its name'), ('lower-quota' + "`t" + 'allow a team less than it has already'), ('ban' + "`t" + 'ban a team'), ('adopt' + "`t" + 'take what has the name for what the files mean, although it differs'), ('create-device' + "`t" + 'make a device in a team that may have it already'), ('recreate' + "`t" + 'make again what is not there any more'), ('resend' + "`t" + 'send again what a restored backup does not record as sent'), ('delete-bot' + "`t" + 'delete bots that the files no longer name')) }
        '--confirm-profile' { return @(('names'), ('profile')) }
        '--no-color' { return @(('flag')) }
        '--request-timeout' { return @(('text')) }
        '--retries' { return @(('text')) }
        '--max-rps' { return @(('text')) }
        '--ca-file' { return @(('file')) }
        '--region' { return @(('text')) }
        '--insecure-http' { return @(('flag')) }
        '--error-format' { return @(('words'), ('text'), ('json')) }
        '--debug' { return @(('flag')) }
    }
}

# The current word as the shell will take it: without its quotes, the last of which may still be open.
function __BotctlTyped([string]$word) {
    $parts = [regex]::Matches($word, '''(?:[^'']|'''')*''?|"(?:[^"`]|`.|"")*"?|`.|.') | ForEach-Object {
        $part = $_.Value
        if ($part[0] -eq "'") { $part.Substring(1) -replace "'('?)", '$1' }
        elseif ($part[0] -eq '"') { $part.Substring(1) -replace '`(.)|"("?)', '$1$2' }
        elseif ($part[0] -eq '`') { $part.Substring(1) }
        else { $part }
    }
    return -join $parts
}

# Writes a word so that the shell takes it back as it is. Bare, an @ at the beginning would name a variable.
function __BotctlQuote([string]$text) {
    if ($text -match '^[\w/-][\w./:@%+=-]*$') { return $text }
    return "'" + ($text -replace "['\u2018\u2019\u201a\u201b]", '$0$0') + "'"
}

Register-ArgumentCompleter -Native -CommandName botctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $current = __BotctlTyped "$wordToComplete"
    $trail = ''
    $place = 0
    $pending = $null
    $ended = $false
    $prefix = ''

    # What the words before have led to.
    foreach ($word in $line) {
        if ($pending) {
            $pending = $null
        } elseif (-not $ended -and $word -ceq '--') {
            $ended = $true
        } elseif (-not $ended -and $word -like '-?*') {
            $takes = @(__BotctlTakes $trail $word)
            if ($takes.Count -gt 0 -and $takes[0] -ne 'flag') { $pending = $takes }
        } elseif ($place -eq 0 -and @(__BotctlVerbs $trail | ForEach-Object { ($_ -split "`t")[0] }) -ccontains $word) {
            $trail = "$trail $word".Trim()
        } else {
            $place += 1
        }
    }

    # What may stand here.
    if ($pending) {
        $takes = $pending
    } elseif (-not $ended -and $current -like '--*=*') {
        $option, $current = $current -split '=', 2
        $takes = @(__BotctlTakes $trail $option)
        $prefix = "$option="
    } elseif (-not $ended -and $current -like '-*') {
        $takes = @('words') + @(__BotctlFlags $trail)
    } else {
        $takes = @()
        if ($place -eq 0) { $takes = @(__BotctlVerbs $trail) }
        if ($takes.Count -gt 0) { $takes = @('words') + $takes }
        else { $takes = @(__BotctlTakes $trail "$($place + 1)") }
        if ($takes.Count -eq 0) { $takes = @(__BotctlTakes $trail 'more') }
        if ($takes.Count -eq 0) { $takes = @('words') + @(__BotctlFlags $trail) }
    }
    if ($takes.Count -eq 0) { return }

    $kind, $offers = $takes
    if ($kind -eq 'file') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new("$prefix$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
        return
    }
    if ($kind -eq 'names') { $offers = @(botctl completion --names $offers "--word=$current" @line 2>$null) }
    if ($kind -eq 'order' -and $current.Contains(':')) {
        $field = ($current -split ':', 2)[0]
        $offers = "${field}:asc", "${field}:desc"
    }
    if ($kind -eq 'pair') { $offers = @($offers | ForEach-Object { $_ -replace '^[^\t]+', '$0=' }) }
    $before = if ($kind -eq 'list' -and $current.Contains(',')) { $current.Substring(0, $current.LastIndexOf(',') + 1) } else { '' }
    foreach ($offer in $offers) {
        $text, $note = $offer -split "`t", 2
        # Each of a list is taken once.
        if ($before -and ($before -split ',') -ccontains $text) { continue }
        if (-not "$before$text".StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $tip = if ($note) { $note } else { $text }
        $written = "$before$text"
        if ($text -match '"|\\$') {
            # Before 7.3 these may break the word on its way to the program: the id stands for it, if there is one.
            if ($note -notmatch '^[\w-]+$') { continue }
            $written = $note
        }
        [System.Management.Automation.CompletionResult]::new((__BotctlQuote "$prefix$written"), $text, 'ParameterValue', $tip)
    }
}
